import fc from 'fast-check';
import { deepFrozen } from '../../src/testing/frozen';
import { isJsonObject, type JsonObject } from '../../src/core/data/json';
import { isFlowError } from '../../src/core/errors/flow-error';
import type { Rule } from '../../src/core/adapter/rule';
import { parseWith } from '../../src/core/schema/issues';
import { jsonSchemaOf } from '../../src/core/schema/json-schema';
import { batchOf } from './record';
import { recordsFor } from './operator-contract';
import { judge, problemsOf } from './run-rule';

/** The tests that every rule passes: what it says of itself, its examples, and that no record makes it break. */
export function describeRules(rules: readonly Rule[]): void {
    describe.each(rules.map(rule => [rule.code, rule] as const))('rule %s', (_code, rule) => {
        describeWords(rule);
        describeExamples(rule);
    });
}

function describeWords(rule: Rule): void {
    const properties = jsonSchemaOf(rule.config)['properties'];
    const fields = Object.entries(isJsonObject(properties) ? properties : {}) as Array<[string, JsonObject]>;

    it('has a camelCase code, a title and a summary that is a sentence', () => {
        expect(rule.code).toMatch(/^[a-z][A-Za-z]*$/);
        expect(rule.title).toMatch(/^[A-Z]/);
        expect(rule.summary).toMatch(/^[A-Z].*[^.]\.$/);
    });

    it('says of every field what it is called and what it does', () => {
        for (const [name, schema] of fields) {
            expect({ name, title: schema['title'], description: schema['description'] }).toEqual({
                name,
                title: expect.stringMatching(/^[A-Z]/),
                description: expect.stringMatching(/\.$/),
            });
        }
        expect(fields.map(([name]) => name)).toEqual(expect.arrayContaining(['error', 'severity']));
    });

    it('refuses a field that it does not know, and to be without those that it needs', () => {
        const result = parseWith(rule.config, { nonsense: 1 });
        const paths = result.ok ? [] : result.issues.map(issue => issue.path);
        expect(paths).toContain('nonsense');
        expect(paths.length).toBeGreaterThan(1);
    });
}

function describeExamples(rule: Rule): void {
    const examples =
        rule.form === 'record'
            ? rule.examples.map(({ spec, in: given, problem }) => ({
                  spec,
                  given: [given],
                  problems: [problem ?? null],
              }))
            : rule.examples.map(({ spec, in: given, problems }) => ({ spec, given, problems }));

    it('has at least three examples', () => expect(examples.length).toBeGreaterThanOrEqual(3));

    it.each(examples.map((example, i) => [i + 1, example] as const))(
        'does what example %i says',
        async (_number, { spec, given, problems }) => {
            const said = await problemsOf(
                rule,
                spec,
                given.map(one => deepFrozen(one)),
            );
            expect(said).toEqual(
                problems.map(problem => (problem === null ? undefined : expect.stringContaining(problem))),
            );
        },
    );

    it('changes no record that it is given, and answers whatever it holds', async () => {
        const batches = fc.array(recordsFor(examples.flatMap(({ given }) => given)), { maxLength: 4 });
        await fc.assert(
            fc.asyncProperty(batches, fc.nat(examples.length - 1), async (records, i) => {
                const batch = batchOf(...records.map(one => deepFrozen(one)));
                try {
                    for (const problem of await judge({ rule, spec: examples[i]!.spec }, batch)) {
                        if (problem)
                            expect({ path: typeof problem.path, problem: problem.problem }).toEqual({
                                path: 'string',
                                problem: expect.stringMatching(/^(is|has) /),
                            });
                    }
                } catch (error) {
                    if (!isFlowError(error) || error.treat !== 'record') throw error;
                }
            }),
            { numRuns: 60 },
        );
    });
}
