import { ECS_VERSION, toEcs } from './ecs';
import { type FeedEvent, toFeedItem } from './feed-item';
import { OCSF_VERSION, toOcsf } from './ocsf';

/** The formats in which an event leaves the service. Each makes the object that stands for one event. */
export const FEED_FORMATS = {
  native: { doc: "the service's own fields", toObject: toFeedItem },
  ocsf: { doc: `Open Cybersecurity Schema Framework ${OCSF_VERSION}`, toObject: toOcsf },
  ecs: { doc: `Elastic Common Schema ${ECS_VERSION}, as nested objects`, toObject: toEcs },
} as const satisfies Record<string, { doc: string; toObject: (event: FeedEvent) => object }>;

export type FeedFormat = keyof typeof FEED_FORMATS;
export const FEED_FORMAT_NAMES = Object.keys(FEED_FORMATS) as FeedFormat[];

/** The formats as documents list them. */
export const FEED_FORMATS_DOC = Object.entries(FEED_FORMATS)
  .map(([name, { doc }]) => `\`${name}\`: ${doc}`)
  .join('; ');
