import type { AdapterDefinition } from '../core/adapter/definition';
import type { JsonObject } from '../core/value/json';
import { englishOf } from '../core/errors/rendered';
import { templateOperator } from '../core/operators/data/template';
import { generator } from './extractors/generator';
import { httpLookup } from './operators/http-lookup';
import { pdfGenerate } from './operators/pdf-generate';

const adviceOf = ({ advise, config }: Pick<AdapterDefinition, 'advise' | 'config'>, given: JsonObject): string[] =>
    (advise?.(config.parse(given)) ?? []).map(({ code, path, problem }) => `${code} ${path} ${englishOf(problem)}`);

const lookup = (more: JsonObject): JsonObject => ({ url: 'https://a.example/{{sku}}', target: 't', ...more });

describe('a placeholder of another kind', () => {
    it.each<[string, Pick<AdapterDefinition, 'advise' | 'config'>, JsonObject, string, string]>([
        ['template', templateOperator, { template: '${a} {{ b.c }}', target: 't' }, 'template', '${b.c}'],
        ['pdfGenerate', pdfGenerate, { template: '<p>{{name}}</p>', targetField: 't' }, 'template', '${name}'],
        ['httpLookup', httpLookup, lookup({ url: 'https://a.example/${sku}' }), 'url', '{{sku}}'],
        [
            'httpLookup',
            httpLookup,
            lookup({ method: 'POST', body: { items: ['{{a}}', 'x ${ b }'] } }),
            'body.items.1',
            '{{b}}',
        ],
        ['generator', generator, { template: { sku: 'TS-${index}' } }, 'template.sku', '{{index}}'],
    ])('is a warning of %s that names the right one', (_, adapter, given, path, meant) => {
        const advice = adviceOf(adapter, given);
        expect(advice).toHaveLength(1);
        expect(advice[0]).toMatch(new RegExp(`^LIKELY_MISTAKE ${path} has `));
        expect(advice[0]).toContain(` is ${meant} here`);
    });

    it('is not given if the type is right, or braces are literal', () => {
        expect(adviceOf(templateOperator, { template: '${a} {b} {} {{}} $5', target: 't' })).toEqual([]);
        expect(adviceOf(pdfGenerate, { templateField: 'own', targetField: 't' })).toEqual([]);
        expect(adviceOf(httpLookup, lookup({ method: 'POST', body: { a: '{{a}} $1 {x}', b: 1, c: null } }))).toEqual(
            [],
        );
        expect(adviceOf(generator, { template: { sku: 'TS-{{index}}', n: 1 } })).toEqual([]);
        expect(adviceOf(generator, {})).toEqual([]);
    });
});
