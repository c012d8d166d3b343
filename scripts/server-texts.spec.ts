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
