import { rules } from '../../../test/kit/record-rules';
import type { ChannelFacts } from '../lookup/reference';
import type { Id } from '../../database/write';
import type { ListMode } from '../entities/load-arguments';
import type { CatalogueContext } from './catalogue';
import { requestedChannels } from './plan-channels';

const { channel } = rules.reference;
const of = (id: number, isWritable = true): ChannelFacts => ({ ...channel, id, isWritable });
const [DEFAULT, OWN, OPEN, OTHER, CLOSED] = [of(1), of(2), of(3), of(4), of(5, false)] as const;
const catalogue = {
    reference: {
        ...rules.reference,
        channel: OWN,
        defaultChannel: DEFAULT,
        channels: [DEFAULT, OWN, OPEN, OTHER, CLOSED],
    },
} as unknown as CatalogueContext;

describe('the channels that a product is to be in', () => {
    it.each<[string, ListMode, readonly ChannelFacts[], readonly Id[], readonly Id[]]>([
        ['those of the record', 'REPLACE', [OTHER], [1, 2, 3], [1, 2, 4]],
        ['added ones and those where it is', 'MERGE', [OTHER], [1, 2, 3], [1, 2, 3, 4]],
        ['those where it is without removed ones', 'REMOVE', [OPEN], [1, 2, 3, 4], [1, 2, 4]],
        ['at least the default channel and that of the run', 'REPLACE', [], [1, 2, 3], [1, 2]],
        ['these also if they are to be removed', 'REMOVE', [DEFAULT, OWN], [1, 2, 3], [1, 2, 3]],
        ['also one that the user may not change', 'REPLACE', [], [1, 2, 5], [1, 2, 5]],
        ['this also if it is to be removed', 'REMOVE', [CLOSED], [1, 2, 5], [1, 2, 5]],
        ['the same for a new product', 'REPLACE', [OPEN], [], [1, 2, 3]],
    ])('are %s', (_, mode, desired, now, expected) => {
        expect([...requestedChannels(catalogue, desired, { now, mode })].sort()).toEqual(expected);
    });
});
