// Summaries as jobstats packs them (made by its way of packing: JSON, gzip, base64), and what is none.
#include "backends/slurm/parse/jobstats.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "backends/base64.hpp"
#include "backends/gzip.hpp"
#include "backends/slurm/parse/parse_accounting.hpp"

namespace tessera::slurm {
namespace {

// One H100 on della-k1g1, as jobstats' own documentation shows it.
constexpr const char* kOne =
    "JS1:H4sIAAAAAAACA12Oyw6CMBBF/2XWSPqYtlN+hhBpSGOhRMpCSf/dImqCy8k9d87dYIq9W6DZoHchdJcbH/h+pZi60I5u"
    "jPcHNFwalGSVRCMqWBfX/yJCTdIwIfbkaCU/OmiU0YLVVMF1XouAl3iY1/b8eINiI0XWSlRWsHxAJ8PBSMmRNAmBXyb54J9d"
    "8nH6MJZqnXP+m8Es4ruxj8gvVEH7LvEAAAA=";
// Two GPUs of gpu01 and one of gpu02.
constexpr const char* kThree =
    "JS1:H4sIAAAAAAACA42QywqDMBBF/2XWUibvx8+IYCgBY0qNi1by72oilNAuupvHPXMvs8EcR7eA3eD+WJGcRYppmPrgQny+"
    "wJLu3PTtcAMEq4U2hnFhKHbAmj5XaF3c2DKUcMU1k1wXRDCpFRryIZKf/HtIPs4XUW9zvIlcNUivtF+Z1B8ZDg1BroWSvx3L"
    "HvPpVc8nHxxYRRGL/ngVyzs3uHBfNgEAAA==";

// As gzip packs it.
std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Jobstats, ASummaryTellsMeanUseAndPeakOfMemoryOfEachGpu) {
  const auto one = read_jobstats(kOne);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].node, NodeName("della-k1g1"));
  EXPECT_EQ(one[0].gpu, GpuIndex{1});
  EXPECT_FLOAT_EQ(one[0].use->value, 98.6F);
  EXPECT_EQ(one[0].memory_peak, Mib{79455});
  EXPECT_EQ(one[0].memory, Mib{81920});
  const auto three = read_jobstats(kThree);
  ASSERT_EQ(three.size(), 3U);
  EXPECT_EQ(three[0].use, Percent{0});
  EXPECT_EQ(three[1].gpu, GpuIndex{3});
  EXPECT_FLOAT_EQ(three[1].use->value, 40.5F);
  EXPECT_EQ(three[2].node, NodeName("gpu02"));
  EXPECT_EQ(three[2].memory_peak, Mib{1});
}

TEST(Jobstats, UseThatIsNotToldIsUnknownAndNotZero) {
  const auto sliced = read_jobstats_json(
      R"({"nodes":{"mig01":{"gpu_total_memory":{"1":10200547328},"gpu_used_memory":{"1":124780544}}}})");
  ASSERT_EQ(sliced.size(), 1U);
  EXPECT_EQ(sliced[0].use, std::nullopt);
  EXPECT_EQ(sliced[0].memory_peak, Mib{119});
  EXPECT_TRUE(read_jobstats_json(R"({"nodes":{"cpu01":{"cpus":4}}})").empty()) << "a job without GPUs";
}

TEST(Jobstats, WhatIsNotExactlyASummaryIsNone) {
  const std::string whole = kOne;
  for (const std::string& bad :
       {std::string(), std::string("JS1:"), std::string("JS1:Short"), std::string("JS1:None"),
        std::string("{\"pods\":[]}"), whole.substr(4), whole + "=", whole + "AAAA", " " + whole,
        whole.substr(0, whole.size() - 4), std::string("JS1:") + whole})
    EXPECT_TRUE(read_jobstats(bad).empty()) << bad;
  for (const char* bad :
       {"",
        "[]",
        "null",
        "{}",
        R"({"nodes":[]})",
        R"({"nodes":{"n":[]}})",
        R"({"nodes":{"":{}}})",
        R"({"nodes":{"n":{"gpu_utilization":[1]}}})",
        R"({"nodes":{"n":{"gpu_utilization":{"0":-1}}}})",
        R"({"nodes":{"n":{"gpu_utilization":{"0":100.5}}}})",
        R"({"nodes":{"n":{"gpu_utilization":{"0":"9"}}}})",
        R"({"nodes":{"n":{"gpu_utilization":{"0":null}}}})",
        R"({"nodes":{"n":{"gpu_utilization":{"x":1}}}})",
        R"({"nodes":{"n":{"gpu_utilization":{"-1":1}}}})",
        R"({"nodes":{"n":{"gpu_utilization":{"0":1,"0":2}}}})",
        R"({"nodes":{"n":{"gpu_utilization":{"0":1e999}}}})",
        R"({"nodes":{"n":{"gpu_used_memory":{"0":99999999999999999999}}}})",
        R"({"nodes":{"n":{"gpu_used_memory":{"0":3145728},"gpu_total_memory":{"0":2097152}}}})",
        R"({"nodes":{"n\u001b":{"gpu_utilization":{"0":1}}}})",
        R"({"nodes":{"good":{"gpu_utilization":{"0":1}},"bad":{"gpu_utilization":{"0":-1}}}})"})
    EXPECT_TRUE(read_jobstats_json(bad).empty()) << bad;
}

// Ten kilobytes that would be a gigabyte.
TEST(Jobstats, ABombIsUnpackedToItsBoundAndRefused) {
  EXPECT_EQ(gunzip(gzipped(std::string(1000, '0')), 1000), std::string(1000, '0'));
  EXPECT_EQ(gunzip(gzipped(std::string(1001, '0')), 1000), std::nullopt);
  EXPECT_EQ(gunzip(gzipped(std::string(64U << 20, '0')), kMostSummary), std::nullopt);
  EXPECT_EQ(gunzip(gzipped(""), 10000), "");
}

TEST(Jobstats, GzipThatIsCutDamagedOrFollowedIsRefused) {
  const std::string text = "what one gzip file holds, and nothing else; what one gzip file holds";
  const std::string whole = gzipped(text);
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_EQ(gunzip(whole.substr(0, size), 10000), std::nullopt) << size;
  EXPECT_EQ(gunzip(whole + "x", 10000), std::nullopt);
  EXPECT_EQ(gunzip(whole + whole, 10000), std::nullopt);
  for (std::size_t at = 10; at < whole.size(); ++at) {  // behind the head, which has bits of no meaning
    std::string flipped = whole;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    EXPECT_EQ(gunzip(flipped, 10000).value_or(text), text) << at;
  }
  EXPECT_EQ(gunzip(text, 10000), std::nullopt);
}

TEST(Jobstats, Base64IsReadAsRfc4648HasItAndNothingElse) {
  EXPECT_EQ(base64_bytes(""), "");
  EXPECT_EQ(base64_bytes("Zg=="), "f");
  EXPECT_EQ(base64_bytes("Zm8="), "fo");
  EXPECT_EQ(base64_bytes("Zm9v"), "foo");
  EXPECT_EQ(base64_bytes("+/8="), "\xfb\xff");
  for (const char* bad :
       {"Z", "Zg", "Zg=", "Zg===", "====", "Z===", "Zh==", "Zm9v\n", "Zm 9", "Zm-_", "Zg==Zg=="})
    EXPECT_EQ(base64_bytes(bad), std::nullopt) << bad;
}

TEST(Jobstats, TheCommentIsReadWithItsJob) {
  const std::string sep(1, kAccountingComma);
  std::string line = "7";
  for (const std::string& one : {"alice", "ml", "gpu", "COMPLETED", "100", "200", "300",
                                 "gres/gpu:h100=1,gres/gpu=1", "della-k1g1", kOne})
    line += sep + one;
  line += sep + sep + sep;
  const AccountingAnswer answer = parse_accounting(line + "\n");
  ASSERT_EQ(answer.jobs.size(), 1U);
  ASSERT_EQ(answer.jobs[0].figures.size(), 1U);
  EXPECT_FLOAT_EQ(answer.jobs[0].figures[0].use->value, 98.6F);
}

}  // namespace
}  // namespace tessera::slurm
