import { z } from 'zod';
import { defineRule } from '../adapter/rule';
import { fieldCheck } from './field-check';
import { SPEC_NOTE, specFields, withSense } from './fields';
import { specChecks } from './spec-checks';

/** How long text or a list must be. */
export const length = defineRule({
    code: 'length',
    title: 'Length',
    summary: 'Asks for text of so many characters, or a list of so many elements.',
    config: withSense(z.strictObject(specFields), ['minLength', 'maxLength']),
    notes: [
        SPEC_NOTE,
        'Characters are those of Unicode, as databases count them: an emoji counts once, one of several parts as often as it has parts (the operator truncate counts it once). Numbers, booleans and objects have no length and break the rule.',
        'A missing field, null and blank text pass unless the field is required.',
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
            problem: 'is 123, which has no length; allowed: text or a list',
        },
        { spec: { field: 'name', minLength: 3 }, in: { name: '' } },
    ],
    compile: spec => fieldCheck(spec, specChecks(spec)),
});
