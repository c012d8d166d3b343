import { withFiles } from './files-of-steps';

const definition = {
    version: 1,
    steps: [
        { key: 'file', kind: 'EXTRACT', config: { adapterCode: 'csv', fileId: '1' } },
        { key: 'text', kind: 'EXTRACT', config: { adapterCode: 'csv', csvText: 'a' } },
        'odd',
    ],
};

describe('a definition with the files of a run', () => {
    it('has them where a step reads a file, and nowhere else', () =>
        expect(withFiles(definition, { file: '2', text: '3', gone: '4' })).toEqual({
            ...definition,
            steps: [
                { key: 'file', kind: 'EXTRACT', config: { adapterCode: 'csv', fileId: '2' } },
                ...definition.steps.slice(1),
            ],
        }));

    it('is itself without any', () => expect(withFiles(definition, {})).toBe(definition));
});
