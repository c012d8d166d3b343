import { nextAfterDryRun } from './next-after-dry-run';

const createdAt = '2026-03-01T10:00:00.000Z';
const draft = { revisionId: null, createdAt };
const before = { updatedAt: '2026-03-01T09:59:00.000Z' };
const after = { updatedAt: '2026-03-01T10:01:00.000Z' };

describe('what follows a dry run', () => {
    it('of the live revision is a run', () => {
        const pipeline = { hasChanges: true, workingCopy: after, revision: { id: '7' } };
        expect(nextAfterDryRun({ revisionId: '7', createdAt }, pipeline)).toBe('START');
        expect(nextAfterDryRun({ revisionId: '6', createdAt }, pipeline)).toBe('CHANGED');
    });

    it('of the draft is a run once it is published', () => {
        expect(nextAfterDryRun(draft, { hasChanges: true, workingCopy: before, revision: null })).toBe('PUBLISH');
        expect(nextAfterDryRun(draft, { hasChanges: true, workingCopy: before, revision: { id: '7' } })).toBe(
            'PUBLISH',
        );
        expect(nextAfterDryRun(draft, { hasChanges: false, workingCopy: before, revision: { id: '7' } })).toBe('START');
    });

    it('of a draft that has changed since is another dry run', () =>
        expect(nextAfterDryRun(draft, { hasChanges: true, workingCopy: after, revision: null })).toBe('CHANGED'));
});
