import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { SPEC_NOTE, specFields, validated } from './fields';
import { specChecks } from './spec-checks';

/** The allowed length of a text or a list. */
export const length = defineRule({
    code: 'length',
    title: 'Length',
    summary: 'Requires a number of characters in a text, or of elements in a list.',
    config: validated(z.strictObject(specFields), ['minLength', 'maxLength']),
    notes: [
        SPEC_NOTE,
        'Characters are Unicode code points, as databases count them: an emoji counts once, and a combined emoji once for each of its parts (the operator truncate counts it once). Numbers, booleans and objects have no length and break the rule.',
        'A missing field, null and blank text pass, unless the field is required.',
    ],
    examples: [
        { spec: { field: 'name', maxLength: 3 }, in: { name: 'Ä👍z' } },
        {
            spec: { field: 'name', minLength: 3, maxLength: 5 },
            in: { name: 'ab' },
            problem: 'has 2 characters; allowed: 3 to 5',
        },
        { spec: { field: 'images', minLength: 1 }, in: { images: [] }, problem: 'has 0 elements; allowed: at least 1' },
        {
            spec: { field: 'sku', maxLength: 5 },
            in: { sku: 123 },
            problem: '123 has no length; allowed: text or a list',
        },
        { spec: { field: 'name', minLength: 3 }, in: { name: '' } },
    ],
    compile: spec => fieldCheck(spec, specChecks(spec)),
});
