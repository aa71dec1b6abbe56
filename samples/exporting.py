"""What the exporters of this folder share: one PyTorch module in, one ONNX test case out.

A case is a folder as ONNX's own tests have it, with one file more:

    <name>/model.onnx                          the graph, weights inside it
    <name>/test_data_set_0/input_<i>.pb        an input each, as a TensorProto
    <name>/test_data_set_0/output_0.pb         PyTorch's answer in float32
    <name>/test_data_set_0/reference_0.pb      PyTorch's answer in float64, on the same inputs and weights

Everything is drawn from a fixed seed, so a second run with the same packages writes the same bytes.
"""

import copy
import re
from pathlib import Path

import numpy
import onnx
import torch
from onnx import numpy_helper

OPSET = 20
SAMPLES = Path(__file__).resolve().parent

# The ops that the sample models may use: those of the shared test models, and no others.
ALLOWED_OPS = frozenset(
    """Add Concat Conv Expand Gather GatherElements Gelu Gemm HardSigmoid HardSwish LayerNormalization MatMul MaxPool Mul
    Neg Pow Reciprocal ReduceMean Relu Reshape Sigmoid Slice Softmax Split Sqrt Tanh Transpose Unsqueeze""".split()
)


def export_case(name, make_model, make_inputs, dynamic_shapes=None, seed=0):
    """Builds the model and its inputs under `seed` and writes the case `<name>/` beside this file.

    `make_inputs` returns the named inputs in the order of the model's `forward`; `dynamic_shapes` says which of their
    dims are free, in the words of `torch.export`.
    """
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    model = make_model().eval()
    inputs = make_inputs()

    with torch.no_grad():
        output = model(*inputs.values())
        reference = copy.deepcopy(model).double()(*(_as_double(value) for value in inputs.values()))

    graph = _export(model, inputs, dynamic_shapes)
    _check(graph)
    _write(SAMPLES / name, graph, inputs, output, reference)


def _export(model, inputs, dynamic_shapes):
    program = torch.onnx.export(
        model,
        tuple(inputs.values()),
        dynamo=True,
        opset_version=OPSET,
        input_names=list(inputs),
        dynamic_shapes=dynamic_shapes,
        verbose=False,
    )
    graph = program.model_proto
    _make_paths_relative(graph)
    return graph


def _make_paths_relative(graph):
    """Keeps each op's Python stack, which leads back to the source, but not where this machine keeps its files."""
    for node in graph.graph.node:
        for entry in node.metadata_props:
            entry.value = re.sub(r'File "[^"]*/(?:site-packages|samples)/', 'File "', entry.value)


def _check(graph):
    onnx.checker.check_model(graph, full_check=True)
    foreign = {node.op_type for node in graph.graph.node} - ALLOWED_OPS
    if foreign:
        raise ValueError(f"the exporter used ops that no sample may have: {', '.join(sorted(foreign))}")
    if any(tensor.data_location == onnx.TensorProto.EXTERNAL for tensor in graph.graph.initializer):
        raise ValueError("the exporter left weights outside the model")


def _write(folder, graph, inputs, output, reference):
    data = folder / "test_data_set_0"
    data.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(graph.SerializeToString(deterministic=True))
    for index, (input_name, value) in enumerate(inputs.items()):
        _write_tensor(data / f"input_{index}.pb", input_name, value)
    output_name = graph.graph.output[0].name
    _write_tensor(data / "output_0.pb", output_name, output)
    _write_tensor(data / "reference_0.pb", output_name, reference)

    error = (output.double() - reference).abs().max() / reference.abs().max()
    size = (folder / "model.onnx").stat().st_size
    print(f"{folder.name}: {len(graph.graph.node)} nodes, {size} bytes, relative error of float32 {error:.1e}")


def _write_tensor(path, name, value):
    array = numpy.ascontiguousarray(value.numpy())
    path.write_bytes(numpy_helper.from_array(array, name).SerializeToString(deterministic=True))


def _as_double(value):
    return value.double() if value.is_floating_point() else value
