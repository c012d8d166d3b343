import { Args } from '@nestjs/graphql';
import { unsealed } from './flow-json';

/** Pipes are the last that see arguments before the resolver does; whoever walks them all has done so by then. */
export const decodeArgs = { transform: unsealed };

/** All arguments of an operation, as `@Args()` gives them, with the JSON in them opened. Every operation that is given FlowJSON takes them so. */
export function DecodedArgs(): ParameterDecorator {
    return Args(decodeArgs);
}
