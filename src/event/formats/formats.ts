import { toCef } from './cef';
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

/** Formats in which an event is a line of text in place of an object. Destinations alone have them. */
export const LINE_FORMATS = {
  cef: { doc: 'Common Event Format, version 0', toLine: toCef },
} as const satisfies Record<string, { doc: string; toLine: (event: FeedEvent) => string }>;

export type DestinationFormat = FeedFormat | keyof typeof LINE_FORMATS;
export const DESTINATION_FORMAT_NAMES = [
  ...FEED_FORMAT_NAMES,
  ...(Object.keys(LINE_FORMATS) as (keyof typeof LINE_FORMATS)[]),
];

/** The formats as documents list them. */
export const FEED_FORMATS_DOC = Object.entries(FEED_FORMATS)
  .map(([name, { doc }]) => `\`${name}\`: ${doc}`)
  .join('; ');
