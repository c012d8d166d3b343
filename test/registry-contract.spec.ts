import { setUp } from '../src/plugin/setup';
import { sandbox } from '../src/io/sandbox/sandbox';
import { checksOf, WAIVED } from './kit/registry-contract';

// Images, PDFs and scripts have their engines, which take their time on a machine that is busy.
jest.setTimeout(120_000);
afterAll(() => sandbox.rest());

// As the plugin builds it: what is registered comes by here without being named.
const { definitions } = setUp({}).registry;
const tried = definitions.filter(({ kind }) => !Object.hasOwn(WAIVED, kind));

describe.each(tried.map(adapter => [adapter.kind, adapter.code, adapter] as const))(
    '%s %s',
    (_kind, _code, adapter) => {
        for (const { name, run } of checksOf(adapter)) it(name, run);
    },
);

describe('the registry', () => {
    it('has every kind tried by a contract, or waived for a reason', () => {
        expect(() => checksOf({ ...definitions[0]!, kind: 'nobody' } as never)).toThrow('nobody');
        for (const reason of Object.values(WAIVED)) expect(reason).toMatch(/^[A-Z].*\.$/);
        expect(tried.length).toBeGreaterThan(0);
    });

    it('has no two adapters of a kind with the same code or alias', () => {
        const names = definitions.flatMap(({ kind, code, aliases = [] }) =>
            [code, ...aliases].map(name => `${kind} ${name}`),
        );
        expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
    });
});
