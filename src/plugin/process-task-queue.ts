import { Injectable } from '@nestjs/common';
import { TaskQueue } from '../core/concurrency/task-queue';

/** The task queue of the process. Checks of definitions run in it, a few milliseconds at a time. */
@Injectable()
export class ProcessTaskQueue extends TaskQueue {}
