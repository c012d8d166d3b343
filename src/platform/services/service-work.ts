import { Channel, type RequestContext, TransactionalConnection } from '@vendure/core';
import type { RunMode } from '../../core/adapter/context';
import type { StatementProgram } from '../../core/adapter/loader';
import type { VendurePlatform } from '../context';
import { type UnitOfWork, unitOfWork } from '../entities/unit-of-work';

/**
 * Finds entities that table loads write: within a record's transaction, and in a dry run with what its steps have
 * planned so far.
 */
export class ServiceWork {
    private readonly connection: TransactionalConnection;
    private hasLooked = false;

    constructor(
        readonly platform: VendurePlatform,
        private readonly mode: RunMode,
        private readonly overflow: (isFull: boolean) => void,
    ) {
        this.connection = platform.injector.get(TransactionalConnection);
    }

    /** Runs a script that reads. */
    async read<T>(ctx: RequestContext, script: (work: UnitOfWork) => StatementProgram<T>): Promise<T> {
        const { database } = this.platform;
        const work = unitOfWork(this.platform, this.mode);
        if (this.mode === 'live')
            return database.within(this.connection.getRepository(ctx, Channel).manager, () => script(work));
        this.hasLooked = true;
        return database.run(() => script(work));
    }

    /** Called after a record is planned: releases what was only read. */
    settle(): void {
        if (this.hasLooked) this.overflow(unitOfWork(this.platform, this.mode).settle());
        this.hasLooked = false;
    }
}
