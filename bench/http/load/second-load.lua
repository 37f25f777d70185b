-- wrk sends the bodies of a file, one a line, in turn. Arguments: file, key. It prints one line of
-- JSON for second-load.ts.
local bodies = {}
local next = 0

function init(args)
  for line in io.lines(args[1]) do
    bodies[#bodies + 1] = line
  end
  wrk.method = "POST"
  wrk.headers["Content-Type"] = "application/json"
  wrk.headers["X-Api-Key"] = args[2]
end

function request()
  next = next % #bodies + 1
  return wrk.format(nil, nil, nil, bodies[next])
end

function done(summary, latency, requests)
  local errors = summary.errors
  io.write(string.format(
    '{"durationMs":%.3f,"answers":%d,"refused":%d,"broken":%d,"bytes":%d,"p50Ms":%.3f,"p95Ms":%.3f,"p99Ms":%.3f}\n',
    summary.duration / 1000,
    summary.requests,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    summary.bytes,
    latency:percentile(50) / 1000,
    latency:percentile(95) / 1000,
    latency:percentile(99) / 1000
  ))
end
