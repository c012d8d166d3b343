import fc from 'fast-check';
import { naming } from '../../../test/kit/naming';
import { compileTemplate, templateProblem } from './template';

describe('templates', () => {
    it.each([
        ['${a}', { a: 'x' }, 'x'],
        ['${brand.name} – ${variants.0.sku}!', { brand: { name: 'Ä' }, variants: [{ sku: 'S1' }] }, 'Ä – S1!'],
        ['no placeholders, $ and { }', {}, 'no placeholders, $ and { }'],
        ['${ a }', { a: 1 }, '1'],
        ['${a}${b}', { a: false, b: 0 }, 'false0'],
        ['${a}', { a: ['x', 1] }, '["x",1]'],
        ['', {}, ''],
        ['${Art\\.-Nr\\.} \\. ${a\\.b.c}', { 'Art.-Nr.': 7, 'a.b': { c: 'x' } }, '7 \\. x'],
    ])('%j of %j is %j', (template, data, text) => {
        expect(compileTemplate(template, false)(data)).toBe(text);
    });

    it('J8: insert values literally, whatever they look like', () => {
        fc.assert(
            fc.property(fc.oneof(fc.string(), fc.constantFrom('${b}', '$1', '$&', '}', '${', '$$')), text => {
                expect(compileTemplate('<${a}>', false)({ a: text, b: 'secret' })).toBe(`<${text}>`);
            }),
        );
    });

    it('are not rendered if a value is missing or null, unless that counts as empty', () => {
        expect(compileTemplate('a ${x}', false)({})).toBeUndefined();
        expect(compileTemplate('a ${x}', false)({ x: null })).toBeUndefined();
        expect(compileTemplate('a ${x}!', true)({ x: null })).toBe('a !');
    });

    it.each([
        ['a ${b', '"${" at character 3 has no closing "}"'],
        ['${}', 'path in ${} must not be empty'],
        ['${a..b}', 'empty segment'],
        ['${Art.-Nr.}', naming('"Art\\.-Nr\\."')],
        ['${__proto__.x}', '"__proto__"'],
    ])('reject %j: %s', (template, problem) => {
        expect(templateProblem(template)?.message).toMatch(problem);
    });
});
