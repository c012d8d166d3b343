import type { ByteSource, FileStore } from '../core/adapter/files';
import type { OutboundHttp } from '../core/adapter/http';

/** What an adapter has asked for outside, and what of it it has not given back. */
export class WatchedDoors {
    /** How often a file was opened or a request sent. */
    opened = 0;
    /** How many files are open. */
    held = 0;

    http({ scope, send }: OutboundHttp): OutboundHttp {
        return {
            scope,
            send: request => {
                this.opened++;
                return send(request);
            },
        };
    }

    files(store: FileStore): FileStore {
        return {
            find: async id => {
                const file = await store.find(id);
                return file && { ...file, content: this.content(file.content) };
            },
        };
    }

    private content(content: ByteSource): ByteSource {
        const take = (): void => {
            this.opened++;
            this.held++;
        };
        const giveBack = (): void => void this.held--;
        return {
            async *open(signal) {
                take();
                try {
                    yield* content.open(signal);
                } finally {
                    giveBack();
                }
            },
            async local(signal) {
                const { path, release } = await content.local(signal);
                take();
                let isHeld = true;
                return {
                    path,
                    async release() {
                        if (isHeld) giveBack();
                        isHeld = false;
                        await release();
                    },
                };
            },
        };
    }
}
