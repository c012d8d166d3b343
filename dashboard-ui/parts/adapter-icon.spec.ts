import { SINK_ICONS } from '../../src/core/adapter/sink';
import { ICONS } from './adapter-icon';

it('has an icon for each name that a sink may have, and for no other', () => {
    expect(Object.keys(ICONS).sort()).toEqual([...SINK_ICONS].sort());
});
