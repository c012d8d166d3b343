import { assetFilesToRemove } from '../effects/effect';
import type { ExtendedBatch, EntityExtension } from '../entities/entity-extension';

/** The files of deleted assets: they are removed after the commit. */
export const assetFiles: EntityExtension = {
    open() {
        const batch: ExtendedBatch = {
            // eslint-disable-next-line require-yield -- a script that writes nothing
            *written({ deleted }) {
                return assetFilesToRemove(
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
