import { z } from 'zod';
import { batchOperator } from '../../core/adapter/operator';
import { loadImages } from '../../io/media/image';
import { formatField, imageBatch, imageFields, imageNotes, quality } from './image-fields';

/** Converts base64 images to another format. */
export const imageConvert = batchOperator({
    code: 'imageConvert',
    category: 'File',
    title: 'Convert an image',
    summary: 'Converts an image that a field contains as base64 to another format.',
    config: z.strictObject({
        ...imageFields,
        format: formatField(
            ['jpeg', 'png', 'webp', 'avif', 'gif'],
            'The format of the new image, in upper or lower case.',
        ),
        quality,
    }),
    notes: imageNotes,
    examples: [
        {
            args: { sourceField: 'image', format: 'png' },
            in: [{ image: 'data:image/gif;base64,R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==' }],
            out: [{ image: 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCA…' }],
            note: 'A data URL stays a data URL, with the new format.',
        },
        {
            args: { sourceField: 'image', targetField: 'jpeg', format: 'jpeg', quality: 60 },
            in: [{ image: 'R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==' }, { image: null }, {}],
            out: [
                { image: 'R0lGODlhAQABAIAAAP///wAAACH5BAEAAAAALAAAAAABAAEAAAICRAEAOw==', jpeg: '/9j/…' },
                { image: null },
                {},
            ],
        },
        {
            args: { sourceField: 'image', format: 'webp' },
            in: [{ image: 'PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciLz4=' }, { image: ['ü'] }],
            out: [],
            errors: ['Field "image": is not an image', 'Field "image": is a list of 1, which is not an image'],
            note: 'SVG is not supported, because such documents can refer to others.',
        },
    ],
    reads: ({ sourceField }) => [sourceField],
    async open({ sourceField, targetField, ...order }) {
        await loadImages();
        return imageBatch({ sourceField, targetField }, order);
    },
});
