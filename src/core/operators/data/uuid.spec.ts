import { ENV as BARE } from '../../../testing/bare-call';
import type { OperatorEnv } from '../../adapter/operator';
import { systemClock } from '../../concurrency/clock';
import type { JsonObject } from '../../value/json';
import { parseWith } from '../../schema/issues';
import { TEST_LOCATION } from '../../../testing/bare-call';
import { uuid } from './uuid';

const NOW = 1_645_557_742_000;
const ENV: OperatorEnv = { ...BARE, clock: { ...systemClock, now: () => NOW }, runId: '1', stepKey: 'shape' };

function idsOf(args: JsonObject, count: number, env = ENV): readonly unknown[] {
    const fn = uuid.compile(uuid.config.parse({ target: 'id', ...args }), env);
    return Array.from(
        { length: count },
        (_, seq) => (fn({}, { ...TEST_LOCATION, seq, id: `read/${seq}` }) as JsonObject)['id'],
    );
}

describe('uuid', () => {
    it.each([
        // RFC 9562, appendix A.4, and what other implementations make of the same names.
        ['dns', 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
        ['url', 'http://example.com/ä', '5061b96d-0fc2-5060-bb4f-e90e713a78f4'],
        ['oid', '1.3.6.1', '1447fa61-5277-5fef-a9b3-fbc6e44f4af3'],
        ['x500', 'cn=John', '1713550e-4d56-5817-bce4-d5dac105f99d'],
        ['6BA7B810-9DAD-11D1-80B4-00C04FD430C8', 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
    ])('v5 in %s of %s', (namespace, name, id) => {
        const fn = uuid.compile(uuid.config.parse({ target: 'id', version: 'v5', namespace, source: 'n' }), ENV);
        expect(fn({ n: name }, TEST_LOCATION)).toEqual({ n: name, id });
    });

    it.each(['v4', 'v7'] as const)(
        '%s gives each record a different ID, and the same one when the batch is repeated',
        version => {
            const ids = idsOf({ version }, 5000);
            expect(new Set(ids).size).toBe(5000);
            for (const id of ids)
                expect(id).toMatch(
                    new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-${version[1]!}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`),
                );
            expect(idsOf({ version }, 5000)).toEqual(ids);
            const others = [
                ...idsOf({ version }, 5000, { ...ENV, runId: '2' }),
                ...idsOf({ version }, 5000, { ...ENV, stepKey: 'other' }),
            ];
            expect(new Set([...ids, ...others]).size).toBe(15_000);
        },
    );

    it('v7 begins with the time of the run', () => {
        // The time of RFC 9562, appendix A.6.
        expect(idsOf({ version: 'v7' }, 1)[0]).toMatch(/^017f22e2-79b0-7/);
    });

    it.each([
        [
            { version: 'v5' },
            [
                'namespace is missing; version "v5" needs namespace and source',
                'source is missing; version "v5" needs namespace and source',
            ],
        ],
        [
            { version: 'v5', namespace: 'email', source: 'n' },
            ['namespace is "email"; allowed: dns, url, oid, x500 or a UUID'],
        ],
        [{ version: 'v1' }, ['version is "v1"; allowed: "v4", "v5", "v7"']],
    ])('%j is rejected', (args, messages) => {
        const parsed = parseWith(uuid.config, { target: 'id', ...args });
        expect(
            parsed.ok ? [] : parsed.issues.map(({ message }) => message.replace(/^\w+: (?=\w+ (is|has) )/, '')),
        ).toEqual(messages);
    });
});
