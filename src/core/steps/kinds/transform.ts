import { z } from 'zod';
import { callFrame, operatorCalls } from '../../schema/operator-calls';
import { compilingOperators } from '../compile-operators';
import { parseConfig } from '../parse-config';
import { transformStep } from '../transform';
import { defineStepKind } from './step-kind';

const OPERATORS = { title: 'Operators', description: 'The operators, applied to each record one after another.' };

/** A step without operators passes its records through. */
const compiled = z.strictObject({ operators: operatorCalls(OPERATORS.title, OPERATORS.description, 0) });

/** The step kind TRANSFORM: applies operators. */
export const transform = defineStepKind({
    kind: 'TRANSFORM',
    summary: 'Changes records.',
    // Each call is validated separately, because there may be tens of thousands.
    frame: z.strictObject({ operators: z.array(z.unknown()).min(1).meta(OPERATORS) }),
    adapters: {
        form: 'calls',
        kind: 'operator',
        list: 'operators',
        frame: callFrame,
        code: 'op',
        value: 'args',
        absent: {},
    },
    behind: 'records',
    role: {
        as: 'work',
        *compile({ key, config }, { registry, limits, elsewhere, env, probe }) {
            const { operators } = parseConfig(key, compiled, config);
            yield;
            const kit = { registry, limits, elsewhere, env, place: `${key}.operators` };
            return transformStep(key, yield* compilingOperators(operators, kit), probe);
        },
    },
});
