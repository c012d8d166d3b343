import { Args } from '@nestjs/graphql';
import { unsealed } from './flow-json';

/** Pipes are the last code that sees the arguments before the resolver. All code that walks the arguments has finished by then. */
export const decodeArgs = { transform: unsealed };

/** All arguments of an operation, as with `@Args()`, with their JSON unsealed. Every operation with FlowJSON arguments uses it. */
export function DecodedArgs(): ParameterDecorator {
    return Args(decodeArgs);
}
