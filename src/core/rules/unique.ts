import { z } from 'zod';
import { type BatchRuleFn, defineRule, type RuleContext, type RuleProblem } from '../adapter/rule';
import { isNothing } from '../data/decimal';
import type { JsonObject, JsonValue } from '../value/json';
import { compilePath, type Path } from '../data/path';
import type { FlowRecord } from '../data/record';
import { show } from '../value/show';
import { strictKey } from '../operators/aggregation/strict-key';
import { MISSING } from './field-check';
import { SPEC_NOTE, specFields, validated } from './fields';
import { recordCheck } from './spec-checks';

/** A value that occurs only once in a run. */
export const unique = defineRule({
    code: 'unique',
    title: 'Unique',
    summary: 'Requires a value that no earlier record of the run has had.',
    config: validated(z.strictObject(specFields)),
    notes: [
        SPEC_NOTE,
        'The first record with a value passes, even if it is rejected for another reason. Later records with the same value break the rule, in any batch.',
        'Values are compared strictly: "7" is not 7. Text, numbers and booleans can be compared; a list or an object breaks the rule.',
        'A missing field, null and blank text pass, unless the field is required.',
        'If several paths lead to the step, a record that arrives on a second path is not compared with itself.',
        'Each value is stored as a row of the checkpoint until the run has finished.',
    ],
    examples: [
        {
            spec: { field: 'sku' },
            in: [{ sku: 'Ä' }, { sku: 'B' }, { sku: 'Ä' }],
            problems: [null, null, '"Ä" is already used by record 1 of source'],
        },
        {
            spec: { field: 'sku' },
            in: [{ sku: 7 }, { sku: '7' }, { sku: null }, {}, { sku: ' ' }, { sku: ' ' }],
            problems: [null, null, null, null, null, null],
            note: 'Values of different types are different.',
        },
        {
            spec: { field: 'sku', required: true },
            in: [{ sku: ['a'] }, {}],
            problems: ['a list of 1 cannot be compared; allowed: text, a number, true or false', MISSING],
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
                // On a second path it is the same record; two records of one origin within one invocation are different
                // records.
                const isItself =
                    owner !== undefined && owner.sourceKey === sourceKey && owner.seq === seq && !here.has(key);
                here.add(key);
                if (owner && !isItself)
                    return `${show(path.get(record.data))} is already used by record ${owner.seq + 1} of ${owner.sourceKey}`;
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

/**
 * The owners of values: from the state of this run, and from records of this batch that came on other paths and are not
 * committed yet.
 */
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
    return `${show(value)} cannot be compared; allowed: text, a number, true or false`;
}
