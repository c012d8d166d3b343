import { event } from './event';
import { file } from './file';
import { manual } from './manual';
import { message } from './message';
import { schedule } from './schedule';
import { webhook } from './webhook';

/** Every trigger type of the core. */
export const triggers = [manual, schedule, webhook, event, file, message] as const;
