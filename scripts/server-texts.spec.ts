import {
    checkedFiles,
    serverTexts,
    type TranslationFile,
    translationFiles,
    translationProblems,
    updatedFiles,
} from './server-texts';

const files = new Map<string, TranslationFile>([
    ['errors.de.json', { 'error.A': { en: 'No run {id}.', de: 'Kein Lauf {id}.' } }],
]);

describe('the German texts of the server', () => {
    it('are complete, and have the placeholders and code of the English ones', () => {
        expect(translationProblems(serverTexts(), translationFiles())).toEqual([]);
    });
});

describe('the files of translations', () => {
    it('are unchanged while the texts are', () => {
        const texts = [{ key: 'error.A', text: 'No run {id}.' }];
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
        expect(translationProblems([{ key: 'rule.b', text: 'B' }], updated)).toEqual(['not translated: rule.b: B']);
    });

    it('keep the translation of a changed text until someone has checked it', () => {
        const texts = [{ key: 'error.A', text: 'There is no run {id}.' }];
        const updated = updatedFiles(texts, files);
        expect(updated.get('errors.de.json')).toEqual({
            'error.A': { en: 'There is no run {id}.', de: 'Kein Lauf {id}.', was: 'No run {id}.' },
        });
        expect(translationProblems(texts, updated)).toEqual([
            'the English text has changed: error.A: There is no run {id}.',
        ]);
        expect(translationProblems(texts, checkedFiles(updated))).toEqual([]);
    });

    it('keep the translation of a text that is declared at another place', () => {
        expect(updatedFiles([{ key: 'error.C', text: 'No run {id}.' }], files).get('errors.de.json')).toEqual({
            'error.C': { en: 'No run {id}.', de: 'Kein Lauf {id}.' },
        });
    });

    it('are wrong with other placeholders', () => {
        const wrong = new Map([['errors.de.json', { 'error.A': { en: 'No run {id}.', de: 'Kein Lauf {name}.' } }]]);
        expect(translationProblems([{ key: 'error.A', text: 'No run {id}.' }], wrong)).toEqual([
            'other placeholders or code: error.A: Kein Lauf {name}.',
        ]);
    });
});
