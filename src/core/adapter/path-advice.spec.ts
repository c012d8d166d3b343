import { operators } from '../operators';
import { checkDefinition } from '../pipeline/parse';
import { rules } from '../rules';
import { triggers } from '../triggers';
import { Registry } from './registry';

const registry = Registry.of(triggers, operators, rules);

/** The hints that a definition with these steps gets when it is checked: each path, and what to write. */
function hints(...steps: ReadonlyArray<{ readonly kind: string; readonly config: object }>) {
    const keyed = [{ kind: 'TRIGGER', config: { type: 'MANUAL' } }, ...steps].map((step, i) => ({
        key: `s${i}`,
        ...step,
    }));
    const edges = keyed.slice(1).map(({ key }, i) => ({ from: `s${i}`, to: key }));
    return checkDefinition({ version: 1, steps: keyed, edges }, registry)
        .issues.filter(({ code }) => code === 'LIKELY_MISTAKE')
        .map(({ path, severity, message }) => [path, severity, / write "(.*)"$/.exec(message)?.[1]]);
}

const operator = (op: string, args: object) => ({ kind: 'TRANSFORM', config: { operators: [{ op, args }] } });

describe('a path that is spelled as JSONPath or JSON Pointer', () => {
    it.each([
        ['$.a.b', 'a.b'],
        ['$.items[0].sku', 'items.0.sku'],
        ["$['Art.-Nr.']", 'Art\\\\.-Nr\\\\.'],
        ['/a/b', 'a.b'],
        ['/sku', 'sku'],
    ])('gets a hint with the right spelling: %s', (path, meant) => {
        const at = 'steps[1].config.operators[0].args.path';
        expect(hints(operator('set', { path, value: 1 }))).toEqual([[at, 'WARNING', meant]]);
    });

    it('gets it wherever paths are: mappings, lists, conditions, nested operators, rules, routes', () => {
        const paths = hints(
            operator('map', { mapping: { sku: '$.sku' } }),
            operator('pick', { fields: ['sku', '/name'] }),
            operator('when', { conditions: [{ any: [{ field: '$.stock', cmp: 'gt', value: 0 }] }] }),
            operator('each', { path: 'variants', operators: [{ op: 'set', args: { path: '/n', value: 1 } }] }),
            { kind: 'VALIDATE', config: { rules: [{ type: 'required', spec: { field: '/sku' } }] } },
            { kind: 'ROUTE', config: { branches: [{ name: 'a', when: [{ field: '$.a', value: 1 }] }] } },
        ).map(([path]) => path);
        expect(paths).toEqual([
            'steps[1].config.operators[0].args.mapping.sku',
            'steps[2].config.operators[0].args.fields[1]',
            'steps[3].config.operators[0].args.conditions[0].any[0].field',
            'steps[4].config.operators[0].args.operators[0].args.path',
            'steps[5].config.rules[0].spec.field',
            'steps[6].config.branches[0].when[0].field',
        ]);
    });

    it.each(['a.b', '$a', 'price$', 'a/b', '/', '$', 'km/h'])('is not every other path: %s', path => {
        expect(hints(operator('set', { path, value: '$.a.b' }))).toEqual([]);
    });
});
