import type { Shop } from '../shop';
import { makeSuiteChannels } from '../suite-channels';

/** Vendure as it comes, with channels for suites that share it. */
export const shop: Shop = { config: {}, populate: makeSuiteChannels };
