import fc from 'fast-check';
import { casesOf } from '../../../../test/kit/cases';
import type { Definition } from './definition';

const KINDS = ['TRIGGER', 'EXTRACT', 'TRANSFORM', 'VALIDATE', 'ROUTE', 'LOAD', 'SINK', 'GATE', 'NEWER'] as const;

/** How often a property of definitions is tried: to generate one takes longer than to check it. */
export const TRIED = { numRuns: casesOf({ all: 100, inTest: 25 }) };

/** Definitions of up to twelve steps without a cycle, with unknown fields. */
export const definitions: fc.Arbitrary<Definition> = fc
    .uniqueArray(fc.stringMatching(/^[A-Za-z0-9_-]{1,12}$/), { minLength: 1, maxLength: 12 })
    .chain(keys =>
        fc.record({
            version: fc.constant(1),
            steps: fc.tuple(
                ...keys.map(key =>
                    fc.record({
                        key: fc.constant(key),
                        kind: fc.constantFrom(...KINDS),
                        config: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), fc.jsonValue({ maxDepth: 3 })),
                        newer: fc.jsonValue({ maxDepth: 2 }),
                    }),
                ),
            ),
            edges: fc
                .uniqueArray(fc.tuple(fc.nat(keys.length - 1), fc.nat(keys.length - 1)), {
                    selector: ([a, b]) => `${Math.min(a, b)} ${Math.max(a, b)}`,
                    maxLength: 20,
                })
                .map(pairs =>
                    pairs
                        .filter(([a, b]) => a !== b)
                        .map(([a, b]) => ({ from: keys[Math.min(a, b)], to: keys[Math.max(a, b)] })),
                ),
            someday: fc.jsonValue({ maxDepth: 2 }),
        }),
    )
    // Names that no definition may hold.
    .filter(definition => !/"(__proto__|constructor|prototype)":/.test(JSON.stringify(definition)));
