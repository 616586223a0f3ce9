# grpcio against a devnet: protoc compiles every .proto file of the repository, server reflection describes every
# service, and calls go by the one and by the other. Arguments: HOST:PORT of gRPC, and the folder of the .proto files.
# Prints how many checks held.
import importlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import grpc_tools
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message_factory import GetMessageClass
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_tools import protoc

ALICE = "chain17w0adeg64ky0daxwd2ugyuneellmjgnxkl0eq4"
CALLS = 200
SECONDS = 30
checks = 0


def must(ok, what):
    global checks
    if not ok:
        sys.exit(f"not so: {what}")
    checks += 1


def compiled(folder):
    """The generated modules of every .proto file; raises when protoc refuses one."""
    files = sorted(path.relative_to(folder).as_posix() for path in Path(folder).rglob("*.proto"))
    out = tempfile.mkdtemp()
    include = [f"-I{folder}", f"-I{Path(grpc_tools.__file__).parent / '_proto'}"]
    must(protoc.main(["", *include, f"--python_out={out}", f"--grpc_python_out={out}", *files]) == 0, "protoc")
    sys.path.insert(0, out)
    name = lambda file, end: file.removesuffix(".proto").replace("/", ".") + end
    return {file: [importlib.import_module(name(file, end)) for end in ("_pb2", "_pb2_grpc")] for file in files}


def generated(channel, modules):
    bank, stubs = modules["cosmos/bank/v1beta1/all.proto"]
    query = stubs.QueryStub(channel)
    request = bank.QueryBalanceRequest(address=ALICE, denom="achain")
    answer, call = query.Balance.with_call(request, metadata=[("x-cosmos-block-height", "1")], timeout=SECONDS)
    must(int(answer.balance.amount) > 0, answer)
    must(("x-cosmos-block-height", "1") in [tuple(pair) for pair in call.initial_metadata()], "the height that was asked")
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: query.Balance(request, timeout=SECONDS).balance.denom, range(CALLS)))
    must(answers == ["achain"] * CALLS, "many at once")
    tendermint, stubs = modules["cosmos/base/tendermint/v1beta1/all.proto"]
    block = stubs.ServiceStub(channel).GetLatestBlock(tendermint.GetLatestBlockRequest(), timeout=SECONDS)
    must(block.block.header.height > 0 and block.sdk_block.header.height == block.block.header.height, "latest block")
    try:
        query.Balance(bank.QueryBalanceRequest(address="nobody", denom="achain"), timeout=SECONDS)
        must(False, "a wrong address is refused")
    except grpc.RpcError as error:
        must(error.code() == grpc.StatusCode.INVALID_ARGUMENT, error)


def reflected(channel, modules):
    database = ProtoReflectionDescriptorDatabase(channel)
    pool = DescriptorPool(database)
    services = [name for name in database.get_services() if not name.startswith("grpc.reflection.")]
    own = [service for pb2, _ in modules.values() for service in pb2.DESCRIPTOR.services_by_name.values()]
    must(sorted(services) == sorted(service.full_name for service in own), services)
    for service in own:
        for method in service.methods:
            other = pool.FindServiceByName(service.full_name).methods_by_name[method.name]
            for mine, theirs in ((method.input_type, other.input_type), (method.output_type, other.output_type)):
                fields = [[(f.name, f.number, f.type) for f in one.fields] for one in (mine, theirs)]
                must(mine.full_name == theirs.full_name and fields[0] == fields[1], mine.full_name)
    supply = pool.FindServiceByName("cosmos.bank.v1beta1.Query").methods_by_name["TotalSupply"]
    request, response = GetMessageClass(supply.input_type), GetMessageClass(supply.output_type)
    path = "/cosmos.bank.v1beta1.Query/TotalSupply"
    call = channel.unary_unary(path, request.SerializeToString, response.FromString)
    must(call(request(), timeout=SECONDS).supply[0].denom == "achain", "supply")
    try:
        channel.unary_unary("/cosmos.bank.v1beta1.Query/Nothing", bytes, bytes)(b"", timeout=SECONDS)
        must(False, "an unknown method is refused")
    except grpc.RpcError as error:
        must(error.code() == grpc.StatusCode.UNIMPLEMENTED, error)


modules = compiled(sys.argv[2])
for compression in (grpc.Compression.NoCompression, grpc.Compression.Gzip):
    with grpc.insecure_channel(sys.argv[1], compression=compression) as channel:
        generated(channel, modules)
        reflected(channel, modules)
print(checks)
