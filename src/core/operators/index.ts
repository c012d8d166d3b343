import { copy } from './data/copy';
import { map } from './data/map';
import { remove } from './data/remove';
import { rename } from './data/rename';
import { set } from './data/set';
import { template } from './data/template';
import { validateRequired } from './data/validate-required';
import { defaultValue } from './enrichment/default';
import { lookup } from './enrichment/lookup';
import { when } from './logic/when';
import { toCents } from './numeric/to-cents';
import { toNumber } from './numeric/to-number';
import { slugify } from './string/slugify';
import { split } from './string/split';
import { trim } from './string/trim';

/** Every operator of the core, with its literal code and the type of its arguments. */
export const operators = [
    map, set, remove, rename, copy, template, validateRequired,
    lookup, defaultValue,
    when,
    toNumber, toCents,
    split, trim, slugify,
] as const;
