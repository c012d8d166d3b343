import { Permission } from '@vendure/core';
import type { VendurePlatform } from '../context';
import { FieldReader } from '../entities/read-field';
import { RecordIssues } from '../entities/record-issues';
import type { RunChannel } from '../lookup/run-channel';
import { ServiceChannels } from './service-channels';
import { assignedChannels } from './service-field';

const TOKENS = ['default', 'own', 'open', 'assigned', 'closed'] as const;
const ids = (...tokens: ReadonlyArray<(typeof TOKENS)[number]>) => tokens.map(token => TOKENS.indexOf(token) + 1);

/** A shop whose user may assign to "open" and "assigned", and remove from "open"; the run is in "own". */
function channels(): Promise<ServiceChannels> {
    const all = TOKENS.map((token, i) => ({ id: i + 1, token, code: `${token}-code` }));
    const rights: Readonly<Record<string, readonly number[]>> = {
        [Permission.CreatePromotion]: ids('open', 'assigned'),
        [Permission.DeletePromotion]: ids('open'),
    };
    const platform = {
        ctx: { userHasPermissions: ([right]: string[], id: number) => rights[right!]!.includes(id) },
        dataSource: { getRepository: () => ({ find: async () => all }) },
    };
    const field = assignedChannels({ toAssign: [Permission.CreatePromotion], toRemove: [Permission.DeletePromotion] });
    const run = { id: 2, defaultId: 1 } as RunChannel;
    return ServiceChannels.read(platform as unknown as VendurePlatform, run, field);
}

describe('the channels of an entity', () => {
    it('are named by token or code, and only where the user may assign it', async () => {
        const issues = new RecordIssues();
        const reader = new FieldReader({ channels: ['open', 'assigned-code', 'own', 'closed', 'nowhere'] }, issues);
        expect((await channels()).tokens(reader, 'channels')).toEqual(['open', 'assigned', 'own']);
        expect([issues.count, issues.error().details?.['field']]).toEqual([2, 'channels.3']);
    });

    it.each<[string, readonly string[], readonly string[], boolean, readonly string[]]>([
        [
            'that is new are its own, the default one and the listed ones',
            ['open'],
            [],
            false,
            ['default', 'open', 'own'],
        ],
        ['are left if they are not listed', [], ['default', 'own', 'open'], false, ['default', 'own']],
        [
            'are not left with MERGE',
            ['assigned'],
            ['default', 'open', 'own'],
            true,
            ['assigned', 'default', 'open', 'own'],
        ],
        [
            'are not left where the user may not remove it',
            [],
            ['assigned', 'closed', 'own'],
            false,
            ['assigned', 'closed', 'default', 'own'],
        ],
    ])('%s', async (_, listed, before, isMerge, expected) => {
        expect((await channels()).wanted(listed, before, isMerge)).toEqual(expected);
    });

    it('are those to assign and to remove', async () => {
        const moves = (await channels()).moves(['default', 'own', 'open'], ['default', 'own', 'assigned']);
        expect(moves).toEqual({ added: ids('assigned'), removed: ids('open') });
        expect((await channels()).tokensOf(ids('open', 'default'))).toEqual(['default', 'open']);
    });
});
