import assert from 'node:assert/strict';
import {
    type BatchExample,
    type BatchOperator,
    DROP,
    type Operator,
    type OperatorExample,
    type RecordOperator,
} from '../core/adapter/operator';
import { isJsonObject, type JsonObject, type JsonValue } from '../core/value/json';
import { type FlowError, isFlowError } from '../core/errors/flow-error';
import { parseWith } from '../core/schema/issues';
import { ENV, TEST_LOCATION, runBatch } from './bare-call';
import {
    assertFieldWords,
    assertRejected,
    assertWords,
    awkwardRecords,
    CAMEL_CASE,
    type ContractTest,
    checksOf,
    type ContractCheck,
    type ContractContext,
    fieldsOfConfig,
    parsed,
} from './contract';
import { deepFrozen } from './frozen';

/**
 * The contract of operators: that they say of themselves what people need, that their examples are true, and that no record makes them
 * break, or change it. `operatorContract(mine).forEach(({ name, run }) => it(name, run))`.
 */
export function operatorContract(operator: Operator, context: ContractContext = {}): readonly ContractCheck[] {
    return checksOf([
        ...words(operator),
        ...examples(operator, context),
        { name: 'survives unexpected records', run: () => bears(operator, context) },
    ]);
}

function words(operator: Operator): readonly ContractTest[] {
    return [
        {
            name: 'has a camelCase code, a title, a category and a summary that is a sentence',
            run: () => {
                assertWords(operator, CAMEL_CASE);
                assert.ok(operator.category, 'category');
            },
        },
        {
            name: 'says of every argument what it is called and what it does',
            run: () => {
                const fields = fieldsOfConfig(operator);
                assert.ok(fields.length > 0, 'there is no argument');
                assertFieldWords(fields);
            },
        },
        {
            name: 'has at least three examples',
            run: () => assert.ok(operator.examples.length >= 3, `it has ${operator.examples.length}`),
        },
        {
            name: 'rejects an unknown argument',
            run: () => assertRejected(operator, { ...(operator.examples[0]?.args ?? {}), nonsense: 1 }, 'nonsense'),
        },
        {
            name: 'requires its required arguments',
            run: () => assert.equal(parseWith(operator.config, {}).ok, false),
        },
    ];
}

function examples(operator: Operator, context: ContractContext): readonly ContractTest[] {
    return operator.form === 'record'
        ? operator.examples.map((example, i) => ({
              name: `does what example ${i + 1} says`,
              run: () => holds(operator, example),
          }))
        : operator.examples.map((example, i) => ({
              name: `does what example ${i + 1} says`,
              run: () => holdsForBatch(operator, example, context),
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

/** The result of an operator for an example: a record, records, 'drop', or the error that it throws. */
function outcomeOf(operator: RecordOperator, example: OperatorExample<object>): unknown {
    const args = parsed(operator, example.args);
    const result = operator.compile(args, ENV)(deepFrozen(example.in), TEST_LOCATION);
    return result === DROP ? 'drop' : result;
}

async function holdsForBatch(
    operator: BatchOperator,
    { args, in: given, out, errors = [] }: BatchExample<object>,
    context: ContractContext,
): Promise<void> {
    const result = await runBatch({ operator, args }, given, context);
    const made = result.out.map(({ data }) => data as JsonValue);
    assert.deepEqual(
        made.map((record, i) => shortened(record, out[i])),
        out,
    );
    const messages = result.rejected.map(({ error }) => error.message);
    assert.equal(messages.length, errors.length, messages.join('\n'));
    errors.forEach((error, i) => assert.ok(messages[i]!.includes(error), `"${messages[i]!}" does not say "${error}"`));
}

/**
 * Text that ends in "…" matches any text with this beginning, because the output of an encoder may change with its
 * version.
 */
function shortened(value: JsonValue, expected: JsonValue | undefined): JsonValue {
    if (typeof value === 'string' && typeof expected === 'string' && expected.endsWith('…'))
        return value.startsWith(expected.slice(0, -1)) ? expected : value;
    if (Array.isArray(value) && Array.isArray(expected))
        return value.map((element: JsonValue, i) => shortened(element, expected[i] as JsonValue));
    if (!isJsonObject(value) || !isJsonObject(expected)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, shortened(field, expected[key])]));
}

/** The fields that examples speak of, each with every awkward value while the others are as in the example. */
async function bears(operator: Operator, context: ContractContext): Promise<void> {
    const known =
        operator.form === 'record'
            ? operator.examples.map(example => example.in)
            : operator.examples.flatMap(example => example.in);
    const records = awkwardRecords(known);
    if (operator.form === 'record') await bearsEach(operator, records);
    else await bearsBatches(operator, records, context);
    assert.equal(Object.getOwnPropertyNames(Object.prototype).includes('polluted'), false);
}

async function bearsEach(operator: RecordOperator, records: readonly JsonObject[]): Promise<void> {
    for (const { args } of operator.examples) {
        const fn = operator.compile(operator.config.parse(args), ENV);
        for (const data of records) {
            try {
                assert.notEqual(fn(deepFrozen(data), TEST_LOCATION), undefined);
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
    context: ContractContext,
): Promise<void> {
    for (const { args } of operator.examples.slice(0, 2)) {
        for (const batch of [[], records.slice(0, 1), records.slice(0, 60)]) {
            const { out, rejected } = await runBatch({ operator, args }, batch, context);
            for (const { error } of rejected) assertRecordError(error);
            for (const { data } of out) assert.ok(isJsonObject(data), 'it returned something that is not a record');
        }
    }
}

function assertRecordError(error: FlowError): void {
    if (error.treat !== 'record') throw error;
    // A script fails in its own code, not in a field.
    if (!error.code.startsWith('SCRIPT_'))
        assert.notEqual(error.details?.['path'], undefined, `"${error.message}" names no field`);
}
