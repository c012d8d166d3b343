import { setUp } from '../src/plugin/setup';
import { sandbox } from '../src/io/sandbox/sandbox';
import { checksOf, WAIVED } from './kit/registry-contract';

// Images, PDFs and scripts have engines that are slow on a busy machine.
jest.setTimeout(120_000);
afterAll(() => sandbox.rest());

// The registry that the plugin builds: every registered adapter is tested without being named here.
const { definitions } = setUp({}).registry;
const tried = definitions.filter(({ kind }) => !Object.hasOwn(WAIVED, kind));

describe.each(tried.map(adapter => [adapter.kind, adapter.code, adapter] as const))(
    '%s %s',
    (_kind, _code, adapter) => {
        for (const { name, run } of checksOf(adapter)) it(name, run);
    },
);

describe('the registry', () => {
    it('has every kind tested by a contract, or exempt for a reason', () => {
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
