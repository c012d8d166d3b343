import assert from 'node:assert/strict';
import {
    type BatchExample,
    type BatchOperator,
    DROP,
    type Operator,
    type OperatorContext,
    type OperatorExample,
    type RecordOperator,
} from '../core/adapter/operator';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/data/json';
import { type FlowError, isFlowError } from '../core/errors/flow-error';
import { parseWith } from '../core/schema/issues';
import { jsonSchemaOf } from '../core/schema/json-schema';
import { ENV, PLACE, runBatch } from './bare-call';
import { deepFrozen } from './frozen';

/** One thing that every operator has to keep to. Made for any test runner: `it.each(…)` over name and run. */
export interface ContractCheck {
    readonly name: string;
    /** Throws an AssertionError, or what the operator threw, where it does not. */
    run(): Promise<void>;
}

/** Values that nobody expects in a field. */
const AWKWARD: readonly JsonValue[] = [
    null,
    '',
    ' ',
    'ß',
    '7',
    '${a}',
    0,
    -1.005,
    1e300,
    true,
    [],
    [null],
    ['a', 1, {}],
    {},
    { a: { b: [1] } },
];

/** What an operator is given beside its records, for one that reaches outside. */
export type ContractSurroundings = Partial<OperatorContext>;

/**
 * The contract of operators: that they say of themselves what people need, that their examples are true, and that no record makes them
 * break, or change it. `operatorContract(mine).forEach(({ name, run }) => it(name, run))`.
 */
export function operatorContract(
    operator: Operator,
    surroundings: ContractSurroundings = {},
): readonly ContractCheck[] {
    const checks = [
        ...words(operator),
        ...examples(operator, surroundings),
        { name: 'bears records that nobody expects', run: () => bears(operator, surroundings) },
    ];
    return checks.map(({ name, run }) => ({ name, run: async () => run() }));
}

interface Check {
    readonly name: string;
    run(): void | Promise<void>;
}

function words(operator: Operator): readonly Check[] {
    const { code, title, summary, category, config } = operator;
    return [
        {
            name: 'has a camelCase code, a title, a category and a summary that is a sentence',
            run: () => {
                assert.match(code, /^[a-z][A-Za-z0-9]*$/, 'code');
                assert.match(title, /^[A-Z]/, 'title');
                assert.match(summary, /^[A-Z].*[^.]\.$/, 'summary');
                assert.ok(category, 'category');
            },
        },
        {
            name: 'says of every argument what it is called and what it does',
            run: () => {
                const properties = jsonSchemaOf(config)['properties'];
                const fields = Object.entries(isJsonObject(properties) ? properties : {}) as Array<
                    [string, JsonObject]
                >;
                assert.ok(fields.length > 0, 'there is no argument');
                for (const [name, { title: called, description }] of fields) {
                    assert.match(String(called), /^[A-Z]/, `title of ${name}`);
                    assert.match(String(description), /\.$/, `description of ${name}`);
                }
            },
        },
        {
            name: 'has at least three examples',
            run: () => assert.ok(operator.examples.length >= 3, `it has ${operator.examples.length}`),
        },
        {
            name: 'refuses an argument that it does not know',
            run: () => {
                const result = parseWith(config, { ...(operator.examples[0]?.args ?? {}), nonsense: 1 });
                assert.deepEqual(result.ok ? [] : result.issues.map(({ path }) => path), ['nonsense']);
            },
        },
        {
            name: 'refuses to be without its required arguments',
            run: () => assert.equal(parseWith(config, {}).ok, false),
        },
    ];
}

function examples(operator: Operator, surroundings: ContractSurroundings): readonly Check[] {
    return operator.form === 'record'
        ? operator.examples.map((example, i) => ({
              name: `does what example ${i + 1} says`,
              run: () => holds(operator, example),
          }))
        : operator.examples.map((example, i) => ({
              name: `does what example ${i + 1} says`,
              run: () => holdsForBatch(operator, example, surroundings),
          }));
}

function holds(operator: RecordOperator, example: OperatorExample<object>): void {
    if (example.error === undefined) {
        assert.deepEqual(outcomeOf(operator, example), example.out);
        return;
    }
    const { error } = example;
    assert.throws(
        () => outcomeOf(operator, example),
        (thrown: unknown) => isFlowError(thrown) && thrown.code === 'RECORD_INVALID' && thrown.message.includes(error),
    );
}

/** What the operator makes of an example: a record, records, 'drop', or the error that it throws. */
function outcomeOf(operator: RecordOperator, example: OperatorExample<object>): unknown {
    const args = parseWith(operator.config, example.args);
    if (!args.ok) throw new TypeError(args.issues.map(issue => issue.message).join('; '));
    const result = operator.compile(args.value, ENV)(deepFrozen(example.in), PLACE);
    return result === DROP ? 'drop' : result;
}

async function holdsForBatch(
    operator: BatchOperator,
    { args, in: given, out, errors = [] }: BatchExample<object>,
    surroundings: ContractSurroundings,
): Promise<void> {
    const result = await runBatch({ operator, args }, given, surroundings);
    const made = result.out.map(({ data }) => data as JsonValue);
    assert.deepEqual(
        made.map((record, i) => shortened(record, out[i])),
        out,
    );
    const messages = result.rejected.map(({ error }) => error.message);
    assert.equal(messages.length, errors.length, messages.join('\n'));
    errors.forEach((error, i) => assert.ok(messages[i]!.includes(error), `"${messages[i]!}" does not say "${error}"`));
}

/** Text that ends in "…" stands for whatever begins so: what an encoder writes may change with its version. */
function shortened(value: JsonValue, expected: JsonValue | undefined): JsonValue {
    if (typeof value === 'string' && typeof expected === 'string' && expected.endsWith('…'))
        return value.startsWith(expected.slice(0, -1)) ? expected : value;
    if (Array.isArray(value) && Array.isArray(expected))
        return value.map((element: JsonValue, i) => shortened(element, expected[i] as JsonValue));
    if (!isJsonObject(value) || !isJsonObject(expected)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shortened(field, expected[key])]));
}

/** The fields that examples speak of, each with every awkward value while the others are as in the example. */
async function bears(operator: Operator, surroundings: ContractSurroundings): Promise<void> {
    const known =
        operator.form === 'record'
            ? operator.examples.map(example => example.in)
            : operator.examples.flatMap(example => example.in);
    const fields = [...new Set(known.flatMap(record => Object.keys(record)))];
    const records = known
        .slice(0, 3)
        .flatMap(record => fields.flatMap(field => AWKWARD.map(value => ({ ...record, [field]: value }))));
    if (operator.form === 'record') await bearsEach(operator, records);
    else await bearsBatches(operator, records, surroundings);
    assert.equal(Object.getOwnPropertyNames(Object.prototype).includes('polluted'), false);
}

async function bearsEach(operator: RecordOperator, records: readonly JsonObject[]): Promise<void> {
    for (const { args } of operator.examples) {
        const fn = operator.compile(operator.config.parse(args), ENV);
        for (const data of records) {
            try {
                assert.notEqual(fn(deepFrozen(data), PLACE), undefined);
            } catch (error) {
                if (!isFlowError(error)) throw error;
                assertRecordError(error);
            }
        }
    }
}

async function bearsBatches(
    operator: BatchOperator,
    records: readonly JsonObject[],
    surroundings: ContractSurroundings,
): Promise<void> {
    for (const { args } of operator.examples.slice(0, 2)) {
        for (const batch of [[], records.slice(0, 1), records.slice(0, 60)]) {
            const { out, rejected } = await runBatch({ operator, args }, batch, surroundings);
            for (const { error } of rejected) assertRecordError(error);
            for (const { data } of out) assert.ok(isJsonObject(data), 'it answered something that is no record');
        }
    }
}

function assertRecordError(error: FlowError): void {
    if (error.treat !== 'record') throw error;
    // A script fails in its own code, not in a field.
    if (!error.code.startsWith('SCRIPT_'))
        assert.notEqual(error.details?.['path'], undefined, `"${error.message}" names no field`);
}
