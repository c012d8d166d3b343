import { isJsonObject, type JsonObject, type JsonValue } from '../src/core/value/json';
import { redactedMessage, redactedText } from '../src/core/errors/redacted-text';
import type { Reject } from '../src/core/ports/ports';
import { sandbox } from '../src/io/sandbox/sandbox';
import { redactedLine } from '../src/plugin/runs/redacted-lines';
import { setUp } from '../src/plugin/setup';
import { runOperator, runPipeline } from '../src/testing/run';
import { spoilt, tellsSecret } from './kit/spoilt-records';

// Scripts, images and PDFs have engines that are slow on a busy machine.
jest.setTimeout(120_000);
afterAll(() => sandbox.rest());

const { definitions } = setUp({}).registry;

interface Told {
    readonly rejects: readonly Reject[];
    readonly log: ReadonlyArray<{ readonly message: string; readonly facts?: JsonObject; readonly code?: string }>;
    readonly error: { readonly code: string; readonly message: string } | null;
}

/** All messages of a run about its records, each with its masked form for users who may not read records. */
function said({ rejects, log, error }: Told): ReadonlyArray<readonly [plain: string, masked: string]> {
    return [
        ...rejects.map(reject => [reject.message, redactedMessage(reject)] as const),
        ...rejects.flatMap(({ faults: issues = [] }) =>
            issues.map(({ message }) => [message, redactedText(message)] as const),
        ),
        ...log.map(({ message, facts = null, code = null }) => {
            const line = redactedLine({ message, facts, code });
            return [message, `${line.message} ${JSON.stringify(line.facts)}`] as const;
        }),
        ...(error ? [[error.message, redactedMessage(error)] as const] : []),
    ];
}

const recordsOf = (given: unknown): readonly JsonObject[] =>
    (Array.isArray(given) ? given : [given])
        .filter((one: JsonValue): one is JsonObject => isJsonObject(one))
        .slice(0, 2);

/** It sends requests to a server, and needs a connection. */
const LEFT_OUT = ['httpLookup'];
const operators = definitions.flatMap(one => (one.kind === 'operator' && !LEFT_OUT.includes(one.code) ? [one] : []));
const rules = definitions.flatMap(one => (one.kind === 'rule' && one.code !== 'reference' ? [one] : []));
let told = 0;

function expectMasked(of: Told): void {
    for (const [plain, masked] of said(of)) {
        if (tellsSecret(plain)) told++;
        if (tellsSecret(masked))
            throw new Error(`${JSON.stringify(plain)} still contains a value when masked: ${JSON.stringify(masked)}`);
    }
}

describe('messages of a run about records, for users who may not read them', () => {
    it.each(operators.map(({ code, examples }) => [code, examples] as const))(
        'contain no values if operator %s gets unexpected ones',
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
        'contain no values if rule %s is violated, or only warns',
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

    it('contained values before masking, so the test is effective', () => {
        expect(told).toBeGreaterThan(200);
    });
});
