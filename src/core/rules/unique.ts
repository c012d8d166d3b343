import { z } from 'zod';
import { type BatchRuleFn, defineRule, type RuleContext, type RuleProblem } from '../adapter/rule';
import { isNothing } from '../data/decimal';
import type { JsonObject, JsonValue } from '../value/json';
import { compilePath, type Path } from '../data/path';
import type { FlowRecord } from '../data/record';
import { show } from '../value/show';
import { strictKey } from '../operators/aggregation/strict-key';
import { MISSING } from './field-check';
import { SPEC_NOTE, specFields, withSense } from './fields';
import { recordCheck } from './spec-checks';

/** A value that no other record of the run has. */
export const unique = defineRule({
    code: 'unique',
    title: 'Unique',
    summary: 'Asks for a value that no earlier record of the run has.',
    config: withSense(z.strictObject(specFields)),
    notes: [
        SPEC_NOTE,
        'The first record with a value passes, also where it is rejected for another reason; those behind it break the rule, in whatever batch they come.',
        'Values are compared strictly: "7" is not 7. Text, numbers and booleans can be compared; a list or an object breaks the rule.',
        'A missing field, null and blank text pass unless the field is required.',
        'Where several ways lead to the step, a record that comes again on another way is not compared with itself.',
        'Each value is kept as a row of the checkpoint until the run has ended.',
    ],
    examples: [
        {
            spec: { field: 'sku' },
            in: [{ sku: 'Ä' }, { sku: 'B' }, { sku: 'Ä' }],
            problems: [null, null, 'is "Ä", which record 1 of source has already'],
        },
        {
            spec: { field: 'sku' },
            in: [{ sku: 7 }, { sku: '7' }, { sku: null }, {}, { sku: ' ' }, { sku: ' ' }],
            problems: [null, null, null, null, null, null],
            note: 'Types are told apart.',
        },
        {
            spec: { field: 'sku', required: true },
            in: [{ sku: ['a'] }, {}],
            problems: ['is a list of 1, which cannot be compared; allowed: text, a number, true or false', MISSING],
        },
    ],
    open(spec): BatchRuleFn {
        const { field, required } = spec;
        const path = compilePath(field);
        const check = recordCheck(spec);
        return async (batch, cx) => {
            const keys: Array<string | undefined> = [];
            const checked: Array<RuleProblem | undefined> = [];
            for (const { data } of batch) {
                await cx.turn();
                keys.push(keyOf(path, data));
                checked.push(check(data));
            }
            const owners = await ownersOf([...new Set(keys.flatMap(key => key ?? []))], path, cx);
            const here = new Set<string>();
            const problems: Array<RuleProblem | undefined> = [];
            for (const [index, record] of batch.entries()) {
                if (index % 64 === 0) await cx.turn();
                const key = keys[index];
                const problem = key === undefined ? valueProblem(path.get(record.data), required) : taken(key, record);
                problems.push(checked[index] ?? (problem === undefined ? undefined : { path: field, problem }));
            }
            return problems;

            function taken(key: string, record: FlowRecord): string | undefined {
                const { sourceKey } = cx.place;
                const { seq } = record.origin;
                const owner = owners.get(key);
                // What has come before on another way is the same record; two of one origin at one visit are two.
                const isItself =
                    owner !== undefined && owner.sourceKey === sourceKey && owner.seq === seq && !here.has(key);
                here.add(key);
                if (owner && !isItself)
                    return `is ${show(path.get(record.data))}, which record ${owner.seq + 1} of ${owner.sourceKey} has already`;
                owners.set(key, { sourceKey, seq });
                cx.remember(record, key, [sourceKey, seq]);
                return undefined;
            }
        };
    },
});

/** The first record that has a value. */
interface Owner {
    readonly sourceKey: string;
    readonly seq: number;
}

function keyOf(path: Path, data: JsonObject): string | undefined {
    const value = path.get(data);
    return isNothing(value) ? undefined : strictKey(value);
}

/** Whose the values are: what this run remembers, and what this batch has brought on other ways and not settled yet. */
async function ownersOf(
    keys: readonly string[],
    path: Path,
    { recall, turn, place, earlier }: RuleContext,
): Promise<Map<string, Owner>> {
    const owners = new Map<string, Owner>();
    for (const [key, value] of await recall(keys, 'run')) {
        const [sourceKey, seq] = value as readonly [string, number];
        owners.set(key, { sourceKey, seq });
    }
    for (const { data, origin } of earlier.flat()) {
        await turn();
        const key = keyOf(path, data);
        if (key !== undefined && !owners.has(key)) owners.set(key, { sourceKey: place.sourceKey, seq: origin.seq });
    }
    return owners;
}

function valueProblem(value: JsonValue | undefined, required: boolean): string | undefined {
    if (isNothing(value)) return required ? MISSING : undefined;
    return `is ${show(value)}, which cannot be compared; allowed: text, a number, true or false`;
}
