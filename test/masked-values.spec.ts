import { isJsonObject, type JsonObject, type JsonValue } from '../src/core/value/json';
import { redactedMessage, redactedText } from '../src/core/errors/redacted-text';
import type { Reject } from '../src/core/ports/ports';
import { sandbox } from '../src/io/sandbox/sandbox';
import { redactedLine } from '../src/plugin/runs/redacted-lines';
import { setUp } from '../src/plugin/setup';
import { runOperator, runPipeline } from '../src/testing/run';
import { spoilt, tellsSecret } from './kit/spoilt-records';

// Scripts, images and PDFs have their engines, which take their time on a machine that is busy.
jest.setTimeout(120_000);
afterAll(() => sandbox.rest());

const { definitions } = setUp({}).registry;

interface Told {
    readonly rejects: readonly Reject[];
    readonly log: ReadonlyArray<{ readonly message: string; readonly facts?: JsonObject }>;
    readonly error: { readonly code: string; readonly message: string } | null;
}

/** All that a run says of its records, and what is left of it for somebody who may not read them. */
function said({ rejects, log, error }: Told): ReadonlyArray<readonly [plain: string, masked: string]> {
    return [
        ...rejects.map(reject => [reject.message, redactedMessage(reject)] as const),
        ...rejects.flatMap(({ faults: issues = [] }) =>
            issues.map(({ message }) => [message, redactedText(message)] as const),
        ),
        ...log.map(({ message, facts = null }) => {
            const line = redactedLine({ message, facts, isOwn: false });
            return [message, `${line.message} ${JSON.stringify(line.facts)}`] as const;
        }),
        ...(error ? [[error.message, redactedMessage(error)] as const] : []),
    ];
}

const recordsOf = (given: unknown): readonly JsonObject[] =>
    (Array.isArray(given) ? given : [given])
        .filter((one: JsonValue): one is JsonObject => isJsonObject(one))
        .slice(0, 2);

/** It asks a server, and needs a connection. */
const LEFT_OUT = ['httpLookup'];
const operators = definitions.flatMap(one => (one.kind === 'operator' && !LEFT_OUT.includes(one.code) ? [one] : []));
const rules = definitions.flatMap(one => (one.kind === 'rule' && one.code !== 'reference' ? [one] : []));
let told = 0;

function expectMasked(of: Told): void {
    for (const [plain, masked] of said(of)) {
        if (tellsSecret(plain)) told++;
        if (tellsSecret(masked)) throw new Error(`${JSON.stringify(plain)} is still told as ${JSON.stringify(masked)}`);
    }
}

describe('what a run says of records, read by somebody who may not read them', () => {
    it.each(operators.map(({ code, examples }) => [code, examples] as const))(
        'has no values in it where operator %s is given others than it expects',
        async (operator, examples) => {
            for (const { args, in: given } of examples) {
                const records = recordsOf(given).flatMap(spoilt);
                const { rejected, warned, log, error } = await runOperator({
                    operator,
                    args: args as JsonObject,
                    records,
                });
                expectMasked({ rejects: [...rejected, ...warned], log, error });
            }
        },
    );

    it.each(rules.map(({ code, examples }) => [code, examples] as const))(
        'has no values in it where rule %s is broken, or only warns',
        async (type, examples) => {
            for (const { spec, in: given } of examples)
                for (const [severity, mode] of [
                    ['ERROR', 'ACCUMULATE'],
                    ['ERROR', 'ABORT'],
                    ['WARNING', 'ACCUMULATE'],
                ]) {
                    const records = recordsOf(given).flatMap(spoilt);
                    const rule = { type, spec: { ...(spec as JsonObject), severity } };
                    const { rejected, warned, log, error } = await runPipeline({
                        pipeline: {
                            version: 1,
                            steps: [
                                { key: 'start', kind: 'TRIGGER', config: { type: 'MANUAL' } },
                                { key: 'read', kind: 'EXTRACT', config: { adapterCode: 'inMemory', data: [] } },
                                { key: 'check', kind: 'VALIDATE', config: { errorHandlingMode: mode, rules: [rule] } },
                            ],
                            edges: [
                                { from: 'start', to: 'read' },
                                { from: 'read', to: 'check' },
                            ],
                        } as never,
                        records: { read: records },
                    });
                    expectMasked({ rejects: [...rejected, ...warned], log, error });
                }
        },
    );

    it('had values in it, so that something was tried', () => {
        expect(told).toBeGreaterThan(200);
    });
});
