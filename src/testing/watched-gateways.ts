import type { ByteSource, FileStore } from '../core/adapter/files';
import type { Outbound, OutboundSocket, OutboundStream } from '../core/adapter/outbound';

/** Counts the external resources that an adapter has opened and not released. */
export class WatchedGateways {
    /** How often a file, a stream or a socket was opened or a request sent. */
    opened = 0;
    private files = 0;
    private readonly streams = new Set<OutboundStream>();
    private readonly sockets = new Set<OutboundSocket>();

    /** How many files, streams and sockets are open. */
    get held(): number {
        const sockets = [...this.sockets].filter(({ destroyed }) => !destroyed);
        return this.files + this.streams.size + sockets.length;
    }

    outbound({ scope, rules, http, stream, socket }: Outbound): Outbound {
        const opening = <A extends unknown[], R>(open: (...args: A) => Promise<R>, opened: (result: R) => R) => {
            return async (...args: A): Promise<R> => {
                this.opened++;
                return opened(await open(...args));
            };
        };
        const kept = (one: OutboundSocket): OutboundSocket => {
            this.sockets.add(one);
            return one;
        };
        const asIs = <T>(one: T): T => one;
        return {
            scope,
            rules,
            http: { send: opening(http.send.bind(http), asIs) },
            stream: { open: opening(stream.open.bind(stream), answer => this.stream(answer)) },
            socket: {
                open: opening(socket.open.bind(socket), kept),
                secure: async (plain, tls) => kept(await socket.secure(plain, tls)),
                awaitFrom: (control, limits) => socket.awaitFrom(control, limits),
                pin: target => socket.pin(target),
                hold: close => socket.hold(close),
                // Each test begins with nothing open.
                leave: (_, session) => session.close(),
                restoreCheckpoint: () => undefined,
            },
        };
    }

    fileStore(store: FileStore): FileStore {
        return {
            find: async id => {
                const file = await store.find(id);
                return file && { ...file, content: this.content(file.content) };
            },
        };
    }

    private stream(answer: OutboundStream): OutboundStream {
        // What has come whole is closed.
        if (answer.whole) return answer;
        const { streams } = this;
        const { body } = answer;
        const watched: OutboundStream = {
            status: answer.status,
            headers: answer.headers,
            body: {
                async *[Symbol.asyncIterator]() {
                    try {
                        yield* body;
                    } finally {
                        streams.delete(watched);
                    }
                },
            },
            close() {
                streams.delete(watched);
                answer.close();
            },
        };
        streams.add(watched);
        return watched;
    }

    private content(content: ByteSource): ByteSource {
        const take = (): void => {
            this.opened++;
            this.files++;
        };
        const giveBack = (): void => void this.files--;
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
