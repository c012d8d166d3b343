import { z } from 'zod';
import { recordOperator } from '../../core/adapter/operator';
import { assetMapping } from './mapping';
import { transformAsset } from './transform';

/** Assets of the PIM as assetImport takes them. */
export const pimAsset = recordOperator({
    code: 'pimAsset',
    category: 'PIM',
    title: 'Assets of the PIM',
    summary: 'Converts assets of the PIM to records for assetImport.',
    config: z.strictObject({
        ...assetMapping,
        // The field that shows a change of an asset, in addition to its address and name.
        changedField: z.string().min(1).max(128).meta({
            title: 'Changed field',
            description:
                'The field with the time of the last change of the file. If it changes, the file is downloaded again.',
        }),
    }),
    notes: [
        'A record has pimId and pimChanged in addition to the fields of assetImport. A path of the PIM becomes a full address with its origin, each part encoded.',
    ],
    examples: [
        {
            args: { changedField: 'modificationDate' },
            in: {
                id: '3',
                filename: 'Desk lamp.png',
                fullpath: '/lamps/Desk lamp.png',
                modificationDate: 17,
                _origin: 'https://pim.example.com',
            },
            out: {
                pimId: '3',
                url: 'https://pim.example.com/lamps/Desk%20lamp.png',
                name: 'Desk lamp.png',
                pimChanged: 17,
            },
        },
        {
            args: { changedField: 'modificationDate', urlField: 'cdn', filenameField: 'title' },
            in: { id: 4, title: 'Shade', cdn: 'https://cdn.example.com/4.jpg' },
            out: { pimId: '4', url: 'https://cdn.example.com/4.jpg', name: 'Shade' },
        },
        {
            args: { changedField: 'modificationDate' },
            in: { id: '5', filename: 'a.png' },
            error: 'Field "fullpath"',
        },
    ],
    compile:
        ({ changedField, ...mapping }) =>
        data => {
            const changed = data[changedField];
            return {
                ...transformAsset(data, { mapping }),
                ...(changed !== undefined && changed !== null && { pimChanged: changed }),
            };
        },
});
