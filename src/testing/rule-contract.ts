import assert from 'node:assert/strict';
import type { Rule, RuleProblem } from '../core/adapter/rule';
import type { JsonObject } from '../core/value/json';
import { isFlowError } from '../core/errors/flow-error';
import { parseWith } from '../core/schema/issues';
import { applyRule } from './bare-rule';
import {
    assertFieldWords,
    assertWords,
    awkwardRecords,
    CAMEL_CASE,
    type ContractTest,
    checksOf,
    type ContractCheck,
    type ContractContext,
    fieldsOfConfig,
} from './contract';
import { frozenBatch } from './frozen';

/** The checked records, and for each a part of its expected problem, or null. */
interface Judged {
    readonly spec: object;
    readonly given: readonly JsonObject[];
    readonly problems: ReadonlyArray<string | null>;
}

/**
 * The contract of rules: their descriptions are complete, their examples are true, and they check every record, whatever it contains, without
 * changing it. `for (const { name, run } of ruleContract(mine)) it(name, run)`.
 */
export function ruleContract(rule: Rule, context: ContractContext = {}): readonly ContractCheck[] {
    const examples = examplesOfRule(rule);
    return checksOf([
        ...words(rule),
        {
            name: 'has at least three examples',
            run: () => assert.ok(examples.length >= 3, `it has ${examples.length}`),
        },
        ...examples.map((example, i) => ({
            name: `does what example ${i + 1} says`,
            run: () => holds(rule, example, context),
        })),
        { name: 'survives unexpected records', run: () => bears(rule, examples, context) },
    ]);
}

/** The examples of both forms as one. */
export function examplesOfRule(rule: Rule): readonly Judged[] {
    return rule.form === 'record'
        ? rule.examples.map(({ spec, in: given, problem }) => ({ spec, given: [given], problems: [problem ?? null] }))
        : rule.examples.map(({ spec, in: given, problems }) => ({ spec, given, problems }));
}

function words(rule: Rule): readonly ContractTest[] {
    return [
        {
            name: 'has a camelCase code, a title and a summary that is a sentence',
            run: () => assertWords(rule, CAMEL_CASE),
        },
        {
            name: 'says of every field what it is called and what it does',
            run: () => {
                const fields = fieldsOfConfig(rule);
                assertFieldWords(fields);
                const names = fields.map(([name]) => name);
                for (const name of ['error', 'severity']) assert.ok(names.includes(name), `there is no field ${name}`);
            },
        },
        {
            name: 'rejects unknown fields, and missing required ones',
            run: () => {
                const result = parseWith(rule.config, { nonsense: 1 });
                const paths = result.ok ? [] : result.issues.map(({ path }) => path);
                assert.ok(paths.includes('nonsense'), `it rejects ${paths.join(', ') || 'nothing'}`);
                assert.ok(paths.length > 1, 'it needs nothing');
            },
        },
    ];
}

async function holds(rule: Rule, { spec, given, problems }: Judged, context: ContractContext): Promise<void> {
    const said = await applyRule({ rule, spec }, frozenBatch(given), context);
    assert.equal(said.length, given.length, 'it does not answer for each record');
    said.forEach((answer, i) => {
        const expected = problems[i] ?? null;
        const problem = answer?.problem;
        if (expected === null) assert.equal(problem, undefined);
        else assert.ok(problem?.includes(expected), `"${problem ?? 'nothing'}" does not say "${expected}"`);
    });
}

/** A problem follows `Field "sku": `. It begins with the verb, or with the value as messages quote it. */
const PROBLEM =
    /^(?:(?:is|has) |(?:".*"|-?\d\S*|true|false|null|a list of \d+|an empty list|an object) (?:is|has|does|cannot) )/s;

async function bears(rule: Rule, examples: readonly Judged[], context: ContractContext): Promise<void> {
    const records = awkwardRecords(examples.flatMap(({ given }) => given));
    for (const { spec } of examples)
        for (const batch of [[], records.slice(0, 1), ...records.map(record => [record]), records])
            await checksRecords({ rule, spec }, batch, context);
}

/** Asserts that a rule returns results, or rejects a record, and fails in no other way. */
export async function checksRecords(
    judging: { readonly rule: Rule; readonly spec: unknown },
    records: readonly JsonObject[],
    context: ContractContext,
): Promise<void> {
    let answers: ReadonlyArray<RuleProblem | undefined>;
    try {
        answers = await applyRule(judging, frozenBatch(records), context);
    } catch (error) {
        if (!isFlowError(error) || error.treat !== 'record') throw error;
        return;
    }
    assert.equal(answers.length, records.length, 'it does not answer for each record');
    for (const answer of answers) {
        if (!answer) continue;
        assert.equal(typeof answer.path, 'string', 'path');
        assert.match(answer.problem, PROBLEM);
    }
}
