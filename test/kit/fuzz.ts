import fc from 'fast-check';
import type { BatchOperator, Operator, RecordOperator } from '../../src/core/adapter/operator';
import type { Rule } from '../../src/core/adapter/rule';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/value/json';
import { isFlowError } from '../../src/core/errors/flow-error';
import { ENV, TEST_LOCATION, runBatch } from '../../src/testing/bare-call';
import type { ContractCheck, ContractContext } from '../../src/testing/contract';
import { deepFrozen } from '../../src/testing/frozen';
import { examplesOfRule, checksRecords } from '../../src/testing/rule-contract';

/** The check that the contract of operators runs with some awkward records, for any record. */
export function operatorFuzz(operator: Operator, part: ContractContext = {}): ContractCheck {
    return {
        name: 'does not change a given record, and fails only by rejecting it',
        run: async () => (operator.form === 'record' ? survives(operator) : survivesBatches(operator, part)),
    };
}

/** The check that the contract of rules runs with some awkward records, for any record. */
export function ruleFuzz(rule: Rule, part: ContractContext = {}): ContractCheck {
    const examples = examplesOfRule(rule);
    const batches = fc.array(recordsFor(examples.flatMap(({ given }) => given)), { maxLength: 4 });
    return {
        name: 'changes no record that it is given, and answers whatever it holds',
        run: () =>
            fc.assert(
                fc.asyncProperty(batches, fc.nat(examples.length - 1), (records, i) =>
                    checksRecords({ rule, spec: examples[i]!.spec }, records, part),
                ),
                { numRuns: 60 },
            ),
    };
}

function survives(operator: RecordOperator): void {
    const fns = operator.examples.map(example => operator.compile(operator.config.parse(example.args), ENV));
    fc.assert(
        fc.property(recordsFor(operator.examples.map(example => example.in)), data => {
            deepFrozen(data);
            for (const fn of fns) {
                try {
                    expect(fn(data, TEST_LOCATION)).toBeDefined();
                } catch (error) {
                    expectRecordError(error);
                }
            }
        }),
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
}

async function survivesBatches(operator: BatchOperator, part: ContractContext): Promise<void> {
    const batches = fc.array(recordsFor(operator.examples.flatMap(example => example.in)), { maxLength: 4 });
    await fc.assert(
        fc.asyncProperty(batches, fc.nat(operator.examples.length - 1), async (records, i) => {
            const { out, rejected } = await runBatch({ operator, args: operator.examples[i]!.args }, records, part);
            for (const { error } of rejected) expectRecordError(error);
            for (const { data } of out) expect(isJsonObject(data)).toBe(true);
        }),
        { numRuns: 20 },
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
}

function expectRecordError(error: unknown): void {
    if (!isFlowError(error) || error.treat !== 'record') throw error;
}

const awkward = fc.letrec<{ value: JsonValue }>(tie => ({
    value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonValue>(null, '', ' ', 'ß', '${a}', '7', 0, -1.005, 1e300, true, [], {}),
        fc.string(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'name', 'sku', '0'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
    ),
})).value;

/** The fields that examples use, with unexpected values. */
export function recordsFor(examples: readonly JsonObject[]): fc.Arbitrary<JsonObject> {
    const fields = [...new Set(['a', ...examples.flatMap(record => Object.keys(record))])];
    return fc.dictionary(fc.constantFrom(...fields), awkward, { noNullPrototype: true });
}
