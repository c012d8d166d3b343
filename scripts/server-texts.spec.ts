import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorText, serverTextsOf } from '../dashboard-ui/i18n/server-texts';
import { checkDefinition } from '../src/core/pipeline/parse';
import { setUp } from '../src/plugin/setup';
import { toyRegistry } from '../test/fixtures/definitions/catalogue';
import {
    checkedFiles,
    serverTexts,
    type TranslationFile,
    translationFiles,
    translationProblems,
    updatedFiles,
} from './server-texts';

const files = new Map<string, TranslationFile>([
    ['errors.de.json', { 'error.A': { en: 'Tea, {id}.', de: 'Tee, {id}.' } }],
]);

describe('the German texts of the server', () => {
    it('are complete, and have the placeholders and code of the English ones', () => {
        expect(translationProblems(serverTexts(), translationFiles())).toEqual([]);
    });

    const german = serverTextsOf([...translationFiles().values()]);
    const invalid = join(__dirname, '../test/fixtures/definitions/invalid');

    it.each(readdirSync(invalid))('are those of the issues of %s', file => {
        const { definition } = JSON.parse(readFileSync(join(invalid, file), 'utf8')) as { definition: unknown };
        const english = checkDefinition(definition, toyRegistry).issues.filter(
            ({ message, facts }) => errorText({ message, facts }, german) === message,
        );
        expect(english).toEqual([]);
    });

    it('are those of the issues of built-in adapters', () => {
        const { registry } = setUp({});
        const config = (kind: 'extractor' | 'loader' | 'sink') =>
            registry.list(kind).map(({ code }, i) => ({
                key: `${kind}${i}`,
                kind: { extractor: 'EXTRACT', loader: 'LOAD', sink: 'SINK' }[kind],
                config: { adapterCode: code, nonsense: 1, batchSize: -1, url: 'ftp://x', path: 'a..b', fields: 7 },
            }));
        const steps = [...config('extractor'), ...config('loader'), ...config('sink')];
        const operators = registry
            .list('operator')
            .map(({ code }) => ({ op: code, args: { nonsense: 1, path: 'a..b' } }));
        const shape = { key: 'shape', kind: 'TRANSFORM', config: { operators } };
        const { issues } = checkDefinition({ version: 1, steps: [...steps, shape], edges: [] }, registry);
        expect(issues.length).toBeGreaterThan(100);
        expect(issues.filter(({ message, facts }) => errorText({ message, facts }, german) === message)).toEqual([]);
    });
});

describe('the files of translations', () => {
    it('are unchanged while the texts are', () => {
        const texts = [{ key: 'error.A', text: 'Tea, {id}.' }];
        expect(updatedFiles(texts, files)).toEqual(files);
        expect(translationProblems(texts, files)).toEqual([]);
    });

    it('get new texts without a translation, and lose those that do not exist any more', () => {
        const updated = updatedFiles([{ key: 'rule.b', text: 'B' }], files);
        expect(updated).toEqual(
            new Map([
                ['errors.de.json', {}],
                ['rules.de.json', { 'rule.b': { en: 'B', de: '' } }],
            ]),
        );
        expect(translationProblems([{ key: 'rule.b', text: 'B' }], updated)).toEqual([
            { code: 'UNTRANSLATED', key: 'rule.b' },
        ]);
    });

    it('keep the translation of a changed text until someone has checked it', () => {
        const texts = [{ key: 'error.A', text: 'Tea for {id}.' }];
        const updated = updatedFiles(texts, files);
        expect(updated.get('errors.de.json')).toEqual({
            'error.A': { en: 'Tea for {id}.', de: 'Tee, {id}.', was: 'Tea, {id}.' },
        });
        expect(translationProblems(texts, updated)).toEqual([{ code: 'CHANGED', key: 'error.A' }]);
        expect(translationProblems(texts, checkedFiles(updated))).toEqual([]);
    });

    it('keep the translation of a text that is declared at another place', () => {
        expect(updatedFiles([{ key: 'error.C', text: 'Tea, {id}.' }], files).get('errors.de.json')).toEqual({
            'error.C': { en: 'Tea, {id}.', de: 'Tee, {id}.' },
        });
    });

    it('are wrong with other placeholders', () => {
        const wrong = new Map([['errors.de.json', { 'error.A': { en: 'Tea, {id}.', de: 'Tee, {name}.' } }]]);
        expect(translationProblems([{ key: 'error.A', text: 'Tea, {id}.' }], wrong)).toEqual([
            { code: 'OTHER_PLACEHOLDERS', key: 'error.A' },
        ]);
    });
});
