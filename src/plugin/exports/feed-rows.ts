import type { DataSource } from 'typeorm';
import type { StatementProgram } from '../../core/adapter/loader';
import type { Database } from '../../database/database';
import { send, sql } from '../../database/statement';
import { type Table, tableOf } from '../../database/table';
import { type Id, insertNumbered } from '../../database/write';
import { FlowFeed } from '../entities/feed';

/** The columns of a new feed. */
export type NewFeed = Pick<FlowFeed, 'exportCode' | 'name' | 'tokenHash' | 'expiresAt'> & {
    readonly channelId: Id;
    readonly createdBy: Id | null;
};

/** The statements that change feeds. */
export class FeedRows {
    private readonly feeds: Table;

    constructor(
        dataSource: DataSource,
        private readonly database: Database,
    ) {
        this.feeds = tableOf(dataSource, FlowFeed);
    }

    insert(feed: NewFeed): Promise<Id> {
        const target = { table: this.feeds, dialect: this.database.dialect };
        return this.database.transaction(function* (): StatementProgram<Id> {
            const [id] = yield* insertNumbered(target, [{ ...feed }]);
            return id!;
        });
    }

    /** Changes nothing if the feed was revoked before, so that the first user who did so is kept. */
    async revoke({ id, by }: { readonly id: Id; readonly by: Id | null }): Promise<void> {
        const { feeds } = this;
        const revokedAt = feeds.column('revokedAt');
        const now = new Date();
        await this.database.run(() =>
            send(sql`
                UPDATE ${feeds.name} SET ${revokedAt} = ${feeds.toColumn('revokedAt', now)}, ${feeds.column('revokedBy')} = ${by},
                ${feeds.column('updatedAt')} = ${feeds.toColumn('updatedAt', now)}
                WHERE ${feeds.column('id')} = ${id} AND ${revokedAt} IS NULL`),
        );
    }
}
