// A program of `npm run test:clients`: protoc and grpcio of Python against the devnet's gRPC. Installed into the cache
// folder of the clients; without Python it is skipped.
import path from 'node:path';
import { runPython } from './pythonProgram.mjs';

const protos = path.resolve(import.meta.dirname, '..', '..', 'proto');
const args = [process.env.ORRERY_GRPC, protos];
runPython(path.join(import.meta.dirname, 'grpc'), 'python-grpc', 'grpcio', args);
