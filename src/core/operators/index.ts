import { aggregate } from './aggregation/aggregate';
import { count } from './aggregation/count';
import { deduplicateRecords } from './aggregation/deduplicate-records';
import { expand } from './aggregation/expand';
import { first } from './aggregation/first';
import { flatten } from './aggregation/flatten';
import { last } from './aggregation/last';
import { multiJoin } from './aggregation/multi-join';
import { uniqueOperator } from './aggregation/unique';
import { columnsToRows } from './data/columns-to-rows';
import { copy } from './data/copy';
import { hash } from './data/hash';
import { map } from './data/map';
import { remove } from './data/remove';
import { rename } from './data/rename';
import { rowsToProduct } from './data/rows-to-product';
import { set } from './data/set';
import { templateOperator } from './data/template';
import { uuid } from './data/uuid';
import { validateFormat } from './data/validate-format';
import { validateRequired } from './data/validate-required';
import { dateAdd } from './date/date-add';
import { dateDiff } from './date/date-diff';
import { dateFormat } from './date/date-format';
import { dateParse } from './date/date-parse';
import { now } from './date/now';
import { coalesce } from './enrichment/coalesce';
import { defaultValue } from './enrichment/default';
import { enrich } from './enrichment/enrich';
import { lookup } from './enrichment/lookup';
import { omit } from './json/omit';
import { parseJson } from './json/parse-json';
import { pick } from './json/pick';
import { stringifyJson } from './json/stringify-json';
import { deltaFilter } from './logic/delta-filter';
import { each } from './logic/each';
import { ifThenElse } from './logic/if-then-else';
import { switchValue } from './logic/switch';
import { when } from './logic/when';
import { currency } from './numeric/currency';
import { formatNumber } from './numeric/format-number';
import { math } from './numeric/math';
import { parseNumber } from './numeric/parse-number';
import { round } from './numeric/round';
import { toCents } from './numeric/to-cents';
import { toNumber } from './numeric/to-number';
import { toText } from './numeric/to-string';
import { unitOperator } from './numeric/unit';
import { categoryPath } from './string/category-path';
import { concat } from './string/concat';
import { extractRegex } from './string/extract-regex';
import { joinOperator } from './string/join';
import { lowercase } from './string/lowercase';
import { replace } from './string/replace';
import { replaceRegex } from './string/replace-regex';
import { slugify } from './string/slugify';
import { split } from './string/split';
import { stripHtml } from './string/strip-html';
import { trim } from './string/trim';
import { truncate } from './string/truncate';
import { uppercase } from './string/uppercase';

/** Every operator of the core, with its literal code and the type of its arguments. */
export const operators = [
    aggregate,
    count,
    uniqueOperator,
    flatten,
    first,
    last,
    expand,
    deduplicateRecords,
    multiJoin,
    map,
    set,
    remove,
    rename,
    copy,
    templateOperator,
    hash,
    uuid,
    validateRequired,
    validateFormat,
    rowsToProduct,
    columnsToRows,
    dateFormat,
    dateParse,
    dateAdd,
    dateDiff,
    now,
    lookup,
    coalesce,
    enrich,
    defaultValue,
    parseJson,
    stringifyJson,
    pick,
    omit,
    when,
    ifThenElse,
    switchValue,
    deltaFilter,
    each,
    math,
    currency,
    unitOperator,
    toNumber,
    toText,
    parseNumber,
    formatNumber,
    toCents,
    round,
    split,
    categoryPath,
    joinOperator,
    trim,
    lowercase,
    uppercase,
    slugify,
    concat,
    replace,
    extractRegex,
    replaceRegex,
    stripHtml,
    truncate,
] as const;
