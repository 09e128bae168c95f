import type { Span } from '@opentelemetry/api';
import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { ERRORS } from '../errors';
import { routeOf } from '../http/in-flight';
import { LIMITS } from '../limits';
import { API_VERSION } from '../version';
import type { Tracing } from './tracing';

const SERVICE = 'audit-activity';

/**
 * Sends traces by OTLP over HTTP. OpenTelemetry's own environment variables set service name, resource attributes,
 * headers and sampling. The libraries are loaded only here, so that a service without traces does not load them.
 * @param endpoint as in `OTEL_EXPORTER_OTLP_ENDPOINT`: a URL without `/v1/traces`
 */
export async function openTracing(endpoint: string, log: Logger): Promise<Tracing> {
  const [api, sdk, { OTLPTraceExporter }, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace-node'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } = api;
  const ofService = resources.resourceFromAttributes({ 'service.name': SERVICE });
  const ofEnvironment = resources.detectResources({ detectors: [resources.envDetector] });
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    timeoutMillis: LIMITS.traceExportMs,
  });
  const provider = new sdk.NodeTracerProvider({
    resource: resources.defaultResource().merge(ofService).merge(ofEnvironment),
    spanProcessors: [new sdk.BatchSpanProcessor(exporter)],
  });
  provider.register();
  const tracer = provider.getTracer(SERVICE, API_VERSION);

  const failed = (span: Span, error: unknown) =>
    span.setStatus({ code: SpanStatusCode.ERROR, message: (error as Error | undefined)?.name ?? 'failed' });

  const request: RequestHandler = (incoming, response, next) => {
    const from = propagation.extract(ROOT_CONTEXT, incoming.headers);
    const attributes = {
      'http.request.method': incoming.method,
      'url.path': incoming.path,
      'request.id': response.locals.requestId,
    };
    const span = tracer.startSpan(incoming.method, { kind: SpanKind.SERVER, attributes }, from);
    response.locals.traceId = span.spanContext().traceId;
    response.once('close', () => {
      const route = routeOf(incoming);
      if (route) span.updateName(`${incoming.method} ${route}`).setAttribute('http.route', route);
      span.setAttribute('http.response.status_code', response.statusCode);
      if (response.statusCode >= ERRORS.internal_error.status) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    });
    context.with(trace.setSpan(from, span), next);
  };

  return {
    request,
    span: (name, attributes, work) =>
      tracer.startActiveSpan(name, { attributes }, async (span) => {
        try {
          return await work();
        } catch (error) {
          failed(span, error);
          throw error;
        } finally {
          span.end();
        }
      }),
    note: (attributes) => void trace.getActiveSpan()?.setAttributes(attributes),
    close: () => provider.shutdown().catch((err) => log.warn({ err }, 'the last traces were not sent')),
  };
}
