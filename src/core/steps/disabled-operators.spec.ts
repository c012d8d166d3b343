import { ENV } from '../../testing/bare-call';
import { Registry } from '../adapter/registry';
import { operators } from '../operators';
import { normalCall } from '../pipeline/normal-form';
import { compileOperators } from './compile-operators';

const registry = Registry.of(operators, []);
const compiled = (calls: ReadonlyArray<{ op: string; args?: object; disabled?: boolean }>) =>
    compileOperators(
        calls.map(({ args = {}, ...call }) => ({ ...call, args: args as Record<string, unknown> })),
        { registry, env: ENV, place: 'shape' },
    );

describe('an operator that is disabled', () => {
    it('is left out, and the others keep their places', () => {
        const left = compiled([
            { op: 'trim', args: { path: 'a' } },
            { op: 'toCents', args: { source: 'a', target: 'a' }, disabled: true },
            { op: 'slugify', args: { source: 'a', target: 'b' }, disabled: false },
        ]);
        expect(left.map(({ op, position }) => [op, position])).toEqual([
            ['trim', 1],
            ['slugify', 3],
        ]);
    });

    it('takes no memory from another one', () => {
        const call = { op: 'deltaFilter', args: { idPath: 'id' } };
        const parts = (disabled: boolean) =>
            compiled([{ ...call, disabled }, call]).flatMap(one => (one.form === 'batch' ? [one.part] : []));
        expect(parts(true)).toEqual(parts(false).slice(1));
    });

    it('has the same normal form with an explicit false as without the flag', () => {
        const call = { op: 'trim', args: { path: 'a' } };
        expect(normalCall({ ...call, disabled: false }, registry)).toEqual(normalCall(call, registry));
        expect(normalCall({ ...call, disabled: true }, registry)).not.toEqual(normalCall(call, registry));
    });
});
