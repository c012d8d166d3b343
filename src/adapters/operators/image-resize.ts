import { clause } from '../../core/errors/rendered';
import { z } from 'zod';
import { batchOperator } from '../../core/adapter/operator';
import { wholeNumber, withRules } from '../../core/schema/fields';
import { loadImages } from '../../io/media/image';
import { formatField, imageBatch, imageFields, imageNotes, quality } from './image-fields';

const SIDE = { min: 1, max: 10_000 };

/** Resizes base64 images. */
export const imageResize = batchOperator({
    code: 'imageResize',
    category: 'File',
    title: 'Resize an image',
    summary: 'Resizes an image that a field contains as base64.',
    config: withRules(
        z.strictObject({
            ...imageFields,
            width: wholeNumber(SIDE, {
                title: 'Width',
                description: 'In pixels. Default: in proportion to the height.',
            }).optional(),
            height: wholeNumber(SIDE, {
                title: 'Height',
                description: 'In pixels. Default: in proportion to the width.',
            }).optional(),
            fit: z.enum(['cover', 'contain', 'fill', 'inside', 'outside']).default('cover').meta({
                title: 'Fit',
                description:
                    'If both sides are set: cover crops the image, contain adds an empty edge (white in JPEG), fill distorts it, inside and outside keep the proportions with the given sides as maximum or minimum.',
            }),
            format: formatField(
                ['jpeg', 'png', 'webp', 'avif'],
                'The format of the new image, in upper or lower case. Default: the format of the old one.',
            ).optional(),
            quality,
        }),
        ({ width, height }, issue) => {
            if (width === undefined && height === undefined)
                issue('width', clause`is missing, and so is height; one of them is needed`);
        },
    ),
    notes: imageNotes,
    examples: [
        {
            args: { sourceField: 'image', width: 2, height: 1, fit: 'fill' },
            in: [
                {
                    image: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
                },
                { sku: 'Ä' },
                { image: null },
            ],
            out: [{ image: 'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCA…' }, { sku: 'Ä' }, { image: null }],
            note: 'Records without an image are left unchanged.',
        },
        {
            args: { sourceField: 'image', targetField: 'thumbnails.small', width: 1 },
            in: [{ image: 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==' }],
            out: [
                {
                    image: 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==',
                    thumbnails: { small: 'data:image/gif;base64,R0lGODlhAQAB…' },
                },
            ],
        },
        {
            args: { sourceField: 'image', height: 100 },
            in: [
                { sku: 1, image: 'https://example.com/1.jpg' },
                { sku: 2, image: 7 },
                { sku: 3, image: '' },
            ],
            out: [{ sku: 3, image: '' }],
            errors: ['Field "image": is not an image', 'Field "image": is 7, which is not an image'],
            note: 'The field must contain the image itself, not its address.',
        },
    ],
    reads: ({ sourceField }) => [sourceField],
    async open({ sourceField, targetField, ...order }) {
        await loadImages();
        return imageBatch({ sourceField, targetField }, order);
    },
});
