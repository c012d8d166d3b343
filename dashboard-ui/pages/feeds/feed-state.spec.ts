import { feedStateOf, type StatedFeed } from './feed-state';

const NOW = Date.parse('2026-11-26T12:00:00Z');
const FEED: StatedFeed = { revokedAt: null, expiresAt: null, file: { id: '1' } };

it.each<readonly [string, Partial<StatedFeed>]>([
    ['served', {}],
    ['served', { expiresAt: '2026-11-26T12:00:01Z' }],
    ['waiting', { file: null }],
    ['expired', { expiresAt: '2026-11-26T12:00:00Z' }],
    ['expired', { expiresAt: '2026-11-25T00:00:00Z', file: null }],
    ['revoked', { revokedAt: '2026-11-26T11:00:00Z' }],
    ['revoked', { revokedAt: '2026-11-26T11:00:00Z', expiresAt: '2026-11-25T00:00:00Z', file: null }],
])('a feed is %s with %j', (state, given) => {
    expect(feedStateOf({ ...FEED, ...given }, NOW)).toBe(state);
});
