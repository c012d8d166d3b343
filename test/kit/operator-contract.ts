import fc from 'fast-check';
import type { BatchOperator, Operator, OperatorContext, RecordOperator } from '../../src/core/adapter/operator';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/data/json';
import { isFlowError } from '../../src/core/errors/flow-error';
import { ENV, PLACE, runBatch } from '../../src/testing/bare-call';
import { deepFrozen } from '../../src/testing/frozen';
import { operatorContract } from '../../src/testing/operator-contract';

/** The tests that every operator passes: the contract that the public test kit has, and that no record at all makes it break. */
export function describeOperators(operators: readonly Operator[], part: Partial<OperatorContext> = {}): void {
    describe.each(operators.map(operator => [operator.code, operator] as const))('operator %s', (_code, operator) => {
        for (const { name, run } of operatorContract(operator, part)) it(name, async () => run());
        it('changes no record that it is given, and fails in no other way than by rejecting it', async () =>
            operator.form === 'record' ? survives(operator) : survivesBatches(operator, part));
    });

    it('no two operators share a code', () => {
        const codes = operators.map(({ code }) => code);
        expect(new Set(codes).size).toBe(codes.length);
    });
}

function survives(operator: RecordOperator): void {
    const fns = operator.examples.map(example => operator.compile(operator.config.parse(example.args), ENV));
    fc.assert(
        fc.property(recordsFor(operator.examples.map(example => example.in)), data => {
            deepFrozen(data);
            for (const fn of fns) {
                try {
                    expect(fn(data, PLACE)).toBeDefined();
                } catch (error) {
                    expectRecordError(error);
                }
            }
        }),
    );
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
}

async function survivesBatches(operator: BatchOperator, part: Partial<OperatorContext>): Promise<void> {
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

/** The fields that examples speak of, with values that nobody expects there. */
export function recordsFor(examples: readonly JsonObject[]): fc.Arbitrary<JsonObject> {
    const fields = [...new Set(['a', ...examples.flatMap(record => Object.keys(record))])];
    return fc.dictionary(fc.constantFrom(...fields), awkward, { noNullPrototype: true });
}
