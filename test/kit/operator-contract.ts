import fc from 'fast-check';
import { deepFrozen } from '../../src/core/data/frozen.fixture';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/core/data/json';
import { type FlowError, isFlowError } from '../../src/core/errors/flow-error';
import { parseWith } from '../../src/core/schema/issues';
import { jsonSchemaOf } from '../../src/core/schema/json-schema';
import { ENV, PLACE, runBatch } from './run-batch';
import { type BatchExample, type BatchOperator, DROP, type Operator, type OperatorContext, type OperatorExample, type RecordOperator } from '../../src/core/adapter/operator';

/** The tests that every operator passes: what it says of itself, its examples, and that no record makes it break. */
export function describeOperators(operators: readonly Operator[], part: Partial<OperatorContext> = {}): void {
    describe.each(operators.map(operator => [operator.code, operator] as const))('operator %s', (_code, operator) => {
        describeWords(operator);
        if (operator.form === 'record') describeRecordOperator(operator);
        else describeBatchOperator(operator, part);
    });

    it('no two operators share a code', () => {
        const codes = operators.map(({ code }) => code);
        expect(new Set(codes).size).toBe(codes.length);
    });
}

function describeWords(operator: Operator): void {
    const properties = jsonSchemaOf(operator.config)['properties'];
    const fields = Object.entries(isJsonObject(properties) ? properties : {}) as Array<[string, JsonObject]>;

    it('has a camelCase code, a title and a summary that is a sentence', () => {
        expect(operator.code).toMatch(/^[a-z][A-Za-z]*$/);
        expect(operator.title).toMatch(/^[A-Z]/);
        expect(operator.summary).toMatch(/^[A-Z].*[^.]\.$/);
        expect(operator.category).toBeDefined();
    });

    it('says of every argument what it is called and what it does', () => {
        for (const [name, schema] of fields) {
            expect({ name, title: schema['title'], description: schema['description'] })
                .toEqual({ name, title: expect.stringMatching(/^[A-Z]/), description: expect.stringMatching(/\.$/) });
        }
        expect(fields.length).toBeGreaterThan(0);
    });

    it('has at least three examples', () => expect(operator.examples.length).toBeGreaterThanOrEqual(3));

    it('refuses an argument that it does not know', () => {
        const result = parseWith(operator.config, { ...operator.examples[0]!.args, nonsense: 1 });
        expect(result.ok ? [] : result.issues.map(issue => issue.path)).toEqual(['nonsense']);
    });

    it('refuses to be without its required arguments', () => expect(parseWith(operator.config, {}).ok).toBe(false));
}

function describeRecordOperator(operator: RecordOperator): void {
    it.each(operator.examples.map((example, i) => [i + 1, example] as const))('does what example %i says', (_number, example) => {
        if (example.error === undefined) expect(outcomeOf(operator, example)).toEqual(example.out);
        else expect(() => outcomeOf(operator, example)).toThrow(expect.objectContaining({ code: 'RECORD_INVALID', message: expect.stringContaining(example.error) }));
    });

    it('changes no record that it is given, and fails in no other way than by rejecting it', () => {
        const fns = operator.examples.map(example => operator.compile(operator.config.parse(example.args), ENV));
        fc.assert(fc.property(recordsFor(operator.examples.map(example => example.in)), data => {
            deepFrozen(data);
            for (const fn of fns) {
                try {
                    expect(fn(data, PLACE)).toBeDefined();
                } catch (error) {
                    if (!isFlowError(error)) throw error;
                    expectRecordError(error);
                }
            }
        }));
        expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
    });
}

/** What the operator makes of an example: a record, records, 'drop', or the error that it throws. */
function outcomeOf(operator: RecordOperator, example: OperatorExample<object>): unknown {
    const args = parseWith(operator.config, example.args);
    if (!args.ok) throw new Error(args.issues.map(issue => issue.message).join('; '));
    const result = operator.compile(args.value, ENV)(deepFrozen(example.in), PLACE);
    return result === DROP ? 'drop' : result;
}

function describeBatchOperator(operator: BatchOperator, part: Partial<OperatorContext>): void {
    it.each(operator.examples.map((example, i) => [i + 1, example] as const))('does what example %i says', async (_number, { args, in: given, out, errors = [] }: BatchExample<object>) => {
        const result = await runBatch({ operator, args }, given, part);
        expect(result.out.map(({ data }) => data)).toEqual(out.map(expected));
        expect(result.rejected.map(({ error }) => error.message)).toEqual(errors.map(error => expect.stringContaining(error)));
    });

    it('changes no record that it is given, and fails in no other way than by rejecting it', async () => {
        const batches = fc.array(recordsFor(operator.examples.flatMap(example => example.in)), { maxLength: 4 });
        await fc.assert(fc.asyncProperty(batches, fc.nat(operator.examples.length - 1), async (records, i) => {
            const { out, rejected } = await runBatch({ operator, args: operator.examples[i]!.args }, records, part);
            for (const { error } of rejected) expectRecordError(error);
            for (const { data } of out) expect(isJsonObject(data)).toBe(true);
        }), { numRuns: 20 });
        expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('polluted');
    });
}

function expectRecordError(error: FlowError): void {
    if (error.treat !== 'record') throw error;
    // A script fails in its own code, not in a field.
    if (!error.code.startsWith('SCRIPT_')) expect(error.details?.['path']).toBeDefined();
}

/** Text that ends in "…" stands for whatever begins so: what an encoder writes may change with its version. */
function expected(value: JsonValue): unknown {
    if (typeof value === 'string') return value.endsWith('…') ? expect.stringMatching(new RegExp(`^${escaped(value.slice(0, -1))}`)) : value;
    if (Array.isArray(value)) return value.map((element: JsonValue) => expected(element));
    return isJsonObject(value) ? Object.fromEntries(Object.entries(value).map(([key, field]) => [key, expected(field)])) : value;
}

function escaped(text: string): string {
    return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
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

/** The fields that an operator's examples speak of, with values that nobody expects there. */
function recordsFor(examples: readonly JsonObject[]): fc.Arbitrary<JsonObject> {
    const fields = [...new Set(['a', ...examples.flatMap(record => Object.keys(record))])];
    return fc.dictionary(fc.constantFrom(...fields), awkward, { noNullPrototype: true });
}
