import { assetFilesLeft } from '../effects/effect';
import type { RefinedBatch, Refinement } from '../entities/refinement';

/** The files of assets that are deleted: they go once that is committed. */
export const assetFiles: Refinement = {
    open() {
        const batch: RefinedBatch = {
            // eslint-disable-next-line require-yield -- a script that writes nothing
            *written({ deleted }) {
                return assetFilesLeft(
                    deleted.flatMap(({ columns }) => [
                        columns.get('source') as string,
                        columns.get('preview') as string,
                    ]),
                );
            },
        };
        return { batch: () => batch };
    },
};
